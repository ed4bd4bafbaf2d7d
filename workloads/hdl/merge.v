// merge.v - an NDP that merges sorted lists: four merge cores on the NDP's two ports, and a queue of work.
//
// An item is 16 bytes, an unsigned key of 8 and 8 more. A message is eight words of 64 bits: a tag, the address and the
// number of items of a first list, those of a second one, the address of the output; the rest is not looked at. Items
// of the first list come before those of the second with the same key. The reply's first word is the tag. NDP thesis
// section 7.4: a comparison and an item per cycle and core, a queue of 32.

// A list, read ahead of the one who takes its items.
module merge_input #(parameter DEPTH_BITS = 5) (
	input clk,
	input start, // with the list
	input [63:0] start_address,
	input [31:0] start_items,

	output request_valid,
	input request_ready,
	output [63:0] request_address,
	output [5:0] request_bytes,
	input answer_valid,
	input [255:0] answer,

	output item_valid,
	output [127:0] item,
	output is_over, // all items have been taken
	input take
);
	localparam DEPTH = 1 << DEPTH_BITS;

	reg [127:0] items [0:DEPTH-1];
	reg [DEPTH_BITS-1:0] head, tail;
	reg [DEPTH_BITS:0] held, taken_on; // items that are here; those, and what was asked for
	reg [63:0] asked_address, come_address;
	reg [31:0] asked_left, come_left, left; // items to be asked for, to come, to be taken

	// Two items where both are in one block of 32 bytes.
	wire ask_two = !asked_address[4] && asked_left > 1;
	wire come_two = !come_address[4] && come_left > 1;
	wire asks = request_valid && request_ready;

	assign request_valid = asked_left != 0 && taken_on + 2 <= DEPTH;
	assign request_address = asked_address;
	assign request_bytes = ask_two ? 32 : 16;
	assign item_valid = held != 0;
	assign item = items[head];
	assign is_over = left == 0;

	always @(posedge clk) begin
		if (start) begin
			head <= 0;
			tail <= 0;
			held <= 0;
			taken_on <= 0;
			asked_address <= start_address;
			come_address <= start_address;
			asked_left <= start_items;
			come_left <= start_items;
			left <= start_items;
		end else begin
			if (asks) begin
				asked_address <= asked_address + (ask_two ? 32 : 16);
				asked_left <= asked_left - (ask_two ? 2 : 1);
			end
			if (answer_valid) begin
				items[tail] <= answer[127:0];
				if (come_two)
					items[tail + 1'b1] <= answer[255:128];
				tail <= tail + (come_two ? 2 : 1);
				come_address <= come_address + (come_two ? 32 : 16);
				come_left <= come_left - (come_two ? 2 : 1);
			end
			if (take) begin
				head <= head + 1'b1;
				left <= left - 1;
			end
			held <= held + (answer_valid ? (come_two ? 2 : 1) : 0) - (take ? 1 : 0);
			taken_on <= taken_on + (asks ? (ask_two ? 2 : 1) : 0) - (take ? 1 : 0);
		end
	end
endmodule

// One merge at a time.
module merge_core (
	input clk,
	input reset,
	input start,
	input [511:0] work,
	output idle,
	output done, // until start
	output reg [63:0] tag,

	output [1:0] read_valid,
	input [1:0] read_ready,
	output [63:0] read_address_0,
	output [63:0] read_address_1,
	output [5:0] read_bytes_0,
	output [5:0] read_bytes_1,
	input [1:0] answer_valid,
	input [255:0] answer,

	output write_valid,
	input write_ready,
	output [63:0] write_address,
	output [5:0] write_bytes,
	output [255:0] write_data,
	input written
);
	localparam OUT_BITS = 4;

	reg [1:0] state; // 0: idle, 1: works, 2: done and not told
	reg [63:0] out_address; // of the next item
	reg [31:0] out_left;
	reg half_valid;
	reg [127:0] half;
	reg [15:0] writes; // put into the queue and not done

	// Writes on their way to the port.
	reg [63:0] queue_address [0:(1<<OUT_BITS)-1];
	reg [5:0] queue_bytes [0:(1<<OUT_BITS)-1];
	reg [255:0] queue_data [0:(1<<OUT_BITS)-1];
	reg [OUT_BITS-1:0] queue_head, queue_tail;
	reg [OUT_BITS:0] queue_count;

	wire [1:0] have, over, take;
	wire [127:0] item_0, item_1;
	wire first = over[1] || (!over[0] && item_0[63:0] <= item_1[63:0]);
	wire known = (over[0] || have[0]) && (over[1] || have[1]);
	wire pick = state == 1 && out_left != 0 && known && queue_count < (1 << OUT_BITS);
	wire [127:0] picked = first ? item_0 : item_1;
	wire keep = !half_valid && !out_address[4] && out_left > 1;
	wire put = pick && !keep;
	wire sent = write_valid && write_ready;

	assign take = pick ? (first ? 2'b01 : 2'b10) : 2'b00;
	assign idle = state == 0;
	assign done = state == 2;
	assign write_valid = queue_count != 0;
	assign write_address = queue_address[queue_head];
	assign write_bytes = queue_bytes[queue_head];
	assign write_data = queue_data[queue_head];

	merge_input input_0 (.clk(clk), .start(start), .start_address(work[127:64]), .start_items(work[159:128]),
		.request_valid(read_valid[0]), .request_ready(read_ready[0]), .request_address(read_address_0),
		.request_bytes(read_bytes_0), .answer_valid(answer_valid[0]), .answer(answer),
		.item_valid(have[0]), .item(item_0), .is_over(over[0]), .take(take[0]));
	merge_input input_1 (.clk(clk), .start(start), .start_address(work[255:192]), .start_items(work[287:256]),
		.request_valid(read_valid[1]), .request_ready(read_ready[1]), .request_address(read_address_1),
		.request_bytes(read_bytes_1), .answer_valid(answer_valid[1]), .answer(answer),
		.item_valid(have[1]), .item(item_1), .is_over(over[1]), .take(take[1]));

	always @(posedge clk) begin
		if (put) begin
			queue_address[queue_tail] <= half_valid ? out_address - 16 : out_address;
			queue_bytes[queue_tail] <= half_valid ? 32 : 16;
			queue_data[queue_tail] <= half_valid ? {picked, half} : {128'b0, picked};
		end
		if (reset) begin
			state <= 0;
			queue_head <= 0;
			queue_tail <= 0;
			queue_count <= 0;
			writes <= 0;
			half_valid <= 0;
			out_left <= 0;
		end else begin
			if (pick) begin
				out_address <= out_address + 16;
				out_left <= out_left - 1;
				half_valid <= keep;
				half <= picked;
			end
			if (put)
				queue_tail <= queue_tail + 1'b1;
			if (sent)
				queue_head <= queue_head + 1'b1;
			queue_count <= queue_count + (put ? 1 : 0) - (sent ? 1 : 0);
			writes <= writes + (put ? 1 : 0) - (written ? 1 : 0);
			if (start) begin
				state <= 1;
				tag <= work[63:0];
				out_address <= work[383:320];
				out_left <= work[159:128] + work[287:256];
			end else if (state == 1 && out_left == 0 && writes == 0) begin
				state <= 2;
			end else if (state == 2) begin
				state <= 0;
			end
		end
	end
endmodule

// Who asked, in the order of the answers.
module merge_order #(parameter WIDTH = 3) (
	input clk,
	input reset,
	input push,
	input [WIDTH-1:0] who,
	input pop,
	output [WIDTH-1:0] next
);
	reg [WIDTH-1:0] order [0:127];
	reg [6:0] head, tail;

	assign next = order[head];
	always @(posedge clk) begin
		if (push)
			order[tail] <= who;
		if (reset) begin
			head <= 0;
			tail <= 0;
		end else begin
			if (push)
				tail <= tail + 1'b1;
			if (pop)
				head <= head + 1'b1;
		end
	end
endmodule

// Port 0 reads, port 1 writes.
module ndp (
	input clk,
	input reset,
	input message_valid,
	output message_ready,
	input [511:0] message,
	output reply_valid,
	input reply_ready,
	output [511:0] reply,
	output [1:0] request_valid,
	input [1:0] request_ready,
	output [1:0] request_write,
	output [63:0] request_address_0,
	output [63:0] request_address_1,
	output [5:0] request_bytes_0,
	output [5:0] request_bytes_1,
	output [255:0] request_data_0,
	output [255:0] request_data_1,
	input [1:0] answer_valid,
	input [255:0] answer_0,
	input [255:0] answer_1,
	output busy,
	output error
);
	localparam CORES = 4;
	localparam QUEUE_BITS = 5;

	// Work that waits for a core.
	reg [511:0] queue [0:(1<<QUEUE_BITS)-1];
	reg [QUEUE_BITS-1:0] queue_head, queue_tail;
	reg [QUEUE_BITS:0] queue_count;
	wire [511:0] work = queue[queue_head];

	wire [CORES-1:0] idle, done, start, write_valid;
	wire [63:0] tag [0:CORES-1];
	wire [2*CORES-1:0] read_valid;
	wire [63:0] read_address [0:2*CORES-1];
	wire [5:0] read_bytes [0:2*CORES-1];
	wire [63:0] write_address [0:CORES-1];
	wire [5:0] write_bytes [0:CORES-1];
	wire [255:0] write_data [0:CORES-1];
	wire [2:0] read_answer;
	wire [1:0] write_answer;

	// Whose turn it is: the first who wants, from the one after the last.
	reg [2:0] read_last, read_turn;
	reg [1:0] write_last, write_turn, start_turn, done_turn;
	integer i;
	reg [2:0] r;
	reg [1:0] w;

	always @* begin
		read_turn = read_last;
		for (i = 2 * CORES; i > 0; i = i - 1) begin
			r = read_last + i[2:0];
			if (read_valid[r])
				read_turn = r;
		end
		write_turn = write_last;
		for (i = CORES; i > 0; i = i - 1) begin
			w = write_last + i[1:0];
			if (write_valid[w])
				write_turn = w;
		end
		start_turn = 0;
		done_turn = 0;
		for (i = CORES - 1; i >= 0; i = i - 1) begin
			if (idle[i])
				start_turn = i[1:0];
			if (to_tell[i])
				done_turn = i[1:0];
		end
	end

	wire reads = request_valid[0] && request_ready[0];
	wire writes = request_valid[1] && request_ready[1];
	wire starts = queue_count != 0 && idle != 0;
	wire takes = message_valid && message_ready;
	wire replies = reply_valid && reply_ready;
	// Tags of merges that are done, until the reply has gone.
	reg [CORES-1:0] to_tell;
	reg [63:0] tag_to_tell [0:CORES-1];

	assign message_ready = queue_count < (1 << QUEUE_BITS);
	assign request_valid = {write_valid != 0, read_valid != 0};
	assign request_write = 2'b10;
	assign request_address_0 = read_address[read_turn];
	assign request_bytes_0 = read_bytes[read_turn];
	assign request_data_0 = 256'b0;
	assign request_address_1 = write_address[write_turn];
	assign request_bytes_1 = write_bytes[write_turn];
	assign request_data_1 = write_data[write_turn];
	assign reply_valid = to_tell != 0;
	assign reply = {448'b0, tag_to_tell[done_turn]};
	assign busy = queue_count != 0 || !(&idle) || to_tell != 0;
	// Items lie at multiples of their size.
	// ... and there are fewer than 2^31 of each.
	assign error = takes && (message[67:64] != 0 || message[195:192] != 0 || message[323:320] != 0 ||
		message[191:159] != 0 || message[319:287] != 0);

	merge_order #(.WIDTH(3)) read_order (.clk(clk), .reset(reset), .push(reads), .who(read_turn),
		.pop(answer_valid[0]), .next(read_answer));
	merge_order #(.WIDTH(2)) write_order (.clk(clk), .reset(reset), .push(writes), .who(write_turn),
		.pop(answer_valid[1]), .next(write_answer));

	genvar c;
	generate
		for (c = 0; c < CORES; c = c + 1) begin : cores
			assign start[c] = starts && start_turn == c;
			merge_core core (.clk(clk), .reset(reset), .start(start[c]), .work(work), .idle(idle[c]),
				.done(done[c]), .tag(tag[c]),
				.read_valid(read_valid[2*c+1:2*c]),
				.read_ready({request_ready[0] && read_turn == 2 * c + 1,
					request_ready[0] && read_turn == 2 * c}),
				.read_address_0(read_address[2*c]), .read_address_1(read_address[2*c+1]),
				.read_bytes_0(read_bytes[2*c]), .read_bytes_1(read_bytes[2*c+1]),
				.answer_valid({answer_valid[0] && read_answer == 2 * c + 1,
					answer_valid[0] && read_answer == 2 * c}),
				.answer(answer_0),
				.write_valid(write_valid[c]), .write_ready(request_ready[1] && write_turn == c),
				.write_address(write_address[c]), .write_bytes(write_bytes[c]),
				.write_data(write_data[c]), .written(answer_valid[1] && write_answer == c));
			always @(posedge clk) begin
				if (done[c])
					tag_to_tell[c] <= tag[c];
				if (reset)
					to_tell[c] <= 0;
				else
					to_tell[c] <= done[c] || (to_tell[c] && !(replies && done_turn == c));
			end
		end
	endgenerate

	always @(posedge clk) begin
		if (takes)
			queue[queue_tail] <= message;
		if (reset) begin
			queue_head <= 0;
			queue_tail <= 0;
			queue_count <= 0;
			read_last <= 0;
			write_last <= 0;
		end else begin
			if (takes)
				queue_tail <= queue_tail + 1'b1;
			if (starts)
				queue_head <= queue_head + 1'b1;
			queue_count <= queue_count + (takes ? 1 : 0) - (starts ? 1 : 0);
			if (reads)
				read_last <= read_turn;
			if (writes)
				write_last <= write_turn;
		end
	end
endmodule
