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
	output [63:0] item_key,
	output [63:0] item_rest,
	output is_over, // all items have been taken
	input take
);
	localparam DEPTH = 1 << DEPTH_BITS;

	reg [63:0] keys [0:DEPTH-1];
	reg [63:0] rests [0:DEPTH-1];
	// Items taken, come and asked for so far, and one more where the list begins in the middle of a block of 32 bytes:
	// odd numbers are second items of blocks.
	reg [DEPTH_BITS:0] head, tail, ask;
	reg [63:0] asked_address;
	reg [31:0] asked_left, come_left; // items to be asked for, to come

	// Two items where both are in one block.
	wire ask_two = !ask[0] && asked_left > 1;
	wire come_two = !tail[0] && come_left > 1;
	wire [DEPTH_BITS:0] taken_on = ask - head;
	wire [DEPTH_BITS-1:0] first = head[DEPTH_BITS-1:0], last = tail[DEPTH_BITS-1:0];

	assign request_valid = asked_left != 0 && taken_on <= DEPTH - 2;
	assign request_address = asked_address;
	assign request_bytes = ask_two ? 32 : 16;
	assign item_valid = head != tail;
	assign item_key = keys[first];
	assign item_rest = rests[first];
	assign is_over = come_left == 0 && !item_valid;

	always @(posedge clk) begin
		// Behind one that comes alone there is room: it was asked for as two might have been.
		if (answer_valid) begin
			keys[last] <= answer[63:0];
			rests[last] <= answer[127:64];
			keys[last + 1'b1] <= answer[191:128];
			rests[last + 1'b1] <= answer[255:192];
		end
		if (start) begin
			head <= {{DEPTH_BITS{1'b0}}, start_address[4]};
			tail <= {{DEPTH_BITS{1'b0}}, start_address[4]};
			ask <= {{DEPTH_BITS{1'b0}}, start_address[4]};
			asked_address <= start_address;
			asked_left <= start_items;
			come_left <= start_items;
		end else begin
			if (request_valid && request_ready) begin
				ask <= ask + (ask_two ? 2 : 1);
				asked_address <= asked_address + (ask_two ? 32 : 16);
				asked_left <= asked_left - (ask_two ? 2 : 1);
			end
			if (answer_valid) begin
				tail <= tail + (come_two ? 2 : 1);
				come_left <= come_left - (come_two ? 2 : 1);
			end
			if (take)
				head <= head + 1'b1;
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
	reg out_odd; // the next item is the second of its block
	reg [31:0] out_left;
	reg half_valid; // the place at the queue's end has a first item

	// Writes on their way to the port: they follow each other without gaps.
	reg [127:0] queue [0:(2<<OUT_BITS)-1];
	reg [15:0] puts, sents, dones; // put into the queue; sent; done
	reg [63:0] sent_address; // of the next
	reg [31:0] sent_left; // items

	wire [1:0] have, over, take;
	wire [63:0] key_0, key_1, rest_0, rest_1;
	wire first = over[1] || (!over[0] && key_0 <= key_1);
	wire known = (over[0] || have[0]) && (over[1] || have[1]);
	wire is_full = puts[OUT_BITS-1:0] == sents[OUT_BITS-1:0] && puts[OUT_BITS] != sents[OUT_BITS];
	wire pick = state == 1 && out_left != 0 && known && !is_full;
	wire keep = !half_valid && !out_odd && out_left > 1;
	wire sent_two = !sent_address[4] && sent_left > 1;

	assign take = {pick && !first, pick && first};
	assign idle = state == 0;
	assign done = state == 2;
	assign write_valid = puts != sents;
	assign write_address = sent_address;
	assign write_bytes = sent_two ? 32 : 16;
	assign write_data = {queue[{sents[OUT_BITS-1:0], 1'b1}], queue[{sents[OUT_BITS-1:0], 1'b0}]};

	merge_input input_0 (.clk(clk), .start(start), .start_address(work[127:64]), .start_items(work[159:128]),
		.request_valid(read_valid[0]), .request_ready(read_ready[0]), .request_address(read_address_0),
		.request_bytes(read_bytes_0), .answer_valid(answer_valid[0]), .answer(answer),
		.item_valid(have[0]), .item_key(key_0), .item_rest(rest_0), .is_over(over[0]), .take(take[0]));
	merge_input input_1 (.clk(clk), .start(start), .start_address(work[255:192]), .start_items(work[287:256]),
		.request_valid(read_valid[1]), .request_ready(read_ready[1]), .request_address(read_address_1),
		.request_bytes(read_bytes_1), .answer_valid(answer_valid[1]), .answer(answer),
		.item_valid(have[1]), .item_key(key_1), .item_rest(rest_1), .is_over(over[1]), .take(take[1]));

	always @(posedge clk) begin
		if (pick)
			queue[{puts[OUT_BITS-1:0], half_valid}] <= first ? {rest_0, key_0} : {rest_1, key_1};
		if (reset) begin
			state <= 0;
			puts <= 0;
			sents <= 0;
			dones <= 0;
			half_valid <= 0;
			out_left <= 0;
		end else begin
			if (written)
				dones <= dones + 1'b1;
			if (write_valid && write_ready) begin
				sents <= sents + 1'b1;
				sent_address <= sent_address + (sent_two ? 32 : 16);
				sent_left <= sent_left - (sent_two ? 2 : 1);
			end
			if (pick) begin
				out_odd <= !out_odd;
				out_left <= out_left - 1;
				half_valid <= keep;
				if (!keep)
					puts <= puts + 1'b1;
			end
			if (start) begin
				state <= 1;
				tag <= work[63:0];
				out_odd <= work[324];
				out_left <= work[159:128] + work[287:256];
				sent_address <= work[383:320];
				sent_left <= work[159:128] + work[287:256];
			end else if (state == 1 && out_left == 0 && puts == dones) begin
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

// What one of four says. A simulator looks at no more than that one.
module merge_choice #(parameter BITS = 64) (
	input [1:0] turn,
	input [BITS-1:0] of_0,
	input [BITS-1:0] of_1,
	input [BITS-1:0] of_2,
	input [BITS-1:0] of_3,
	output [BITS-1:0] chosen
);
	assign chosen = turn[1] ? (turn[0] ? of_3 : of_2) : (turn[0] ? of_1 : of_0);
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
	wire [2*CORES-1:0] read_valid;
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
	assign request_data_0 = 256'b0;
	merge_choice #(.BITS(64)) read_at (.turn(read_turn[2:1]), .chosen(request_address_0),
		.of_0(cores[0].read_address), .of_1(cores[1].read_address), .of_2(cores[2].read_address),
		.of_3(cores[3].read_address));
	merge_choice #(.BITS(6)) read_size (.turn(read_turn[2:1]), .chosen(request_bytes_0),
		.of_0(cores[0].read_bytes), .of_1(cores[1].read_bytes), .of_2(cores[2].read_bytes),
		.of_3(cores[3].read_bytes));
	merge_choice #(.BITS(64)) write_at (.turn(write_turn), .chosen(request_address_1),
		.of_0(cores[0].write_address), .of_1(cores[1].write_address), .of_2(cores[2].write_address),
		.of_3(cores[3].write_address));
	merge_choice #(.BITS(6)) write_size (.turn(write_turn), .chosen(request_bytes_1),
		.of_0(cores[0].write_bytes), .of_1(cores[1].write_bytes), .of_2(cores[2].write_bytes),
		.of_3(cores[3].write_bytes));
	merge_choice #(.BITS(256)) write_what (.turn(write_turn), .chosen(request_data_1),
		.of_0(cores[0].write_data), .of_1(cores[1].write_data), .of_2(cores[2].write_data),
		.of_3(cores[3].write_data));
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

	wire [2*CORES-1:0] read_ready = {7'b0, request_ready[0]} << read_turn;
	wire [2*CORES-1:0] answered = {7'b0, answer_valid[0]} << read_answer;
	wire [CORES-1:0] write_ready = {3'b0, request_ready[1]} << write_turn;
	wire [CORES-1:0] written = {3'b0, answer_valid[1]} << write_answer;

	genvar c;
	generate
		for (c = 0; c < CORES; c = c + 1) begin : cores
			wire [63:0] tag, read_address_0, read_address_1, write_address;
			wire [5:0] read_bytes_0, read_bytes_1, write_bytes;
			wire [255:0] write_data;
			wire [63:0] read_address = read_turn[0] ? read_address_1 : read_address_0;
			wire [5:0] read_bytes = read_turn[0] ? read_bytes_1 : read_bytes_0;
			assign start[c] = starts && start_turn == c;
			merge_core core (.clk(clk), .reset(reset), .start(start[c]), .work(work), .idle(idle[c]),
				.done(done[c]), .tag(tag),
				.read_valid(read_valid[2*c+1:2*c]),
				.read_ready(read_ready[2*c+1:2*c]),
				.read_address_0(read_address_0), .read_address_1(read_address_1),
				.read_bytes_0(read_bytes_0), .read_bytes_1(read_bytes_1),
				.answer_valid(answered[2*c+1:2*c]),
				.answer(answer_0),
				.write_valid(write_valid[c]), .write_ready(write_ready[c]),
				.write_address(write_address), .write_bytes(write_bytes),
				.write_data(write_data), .written(written[c]));
			always @(posedge clk)
				if (done[c])
					tag_to_tell[c] <= tag;
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
			to_tell <= 0;
		end else begin
			to_tell <= done | (replies ? to_tell & ~(4'b1 << done_turn) : to_tell);
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
