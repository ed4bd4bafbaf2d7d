// unit_bench.v - the merge unit as a whole: its queue of 32, four cores, and the crossbar that gives them the two ports
// in turns, in a memory that answers after 12 cycles and is not always ready.
`timescale 1ns / 1ps
module bench;
	localparam LATENCY = 12, MERGES = 120, STRIDE = 128; // items of a merge: two lists from 0 and 32 on, the output from 64 on
	reg clk = 0, reset = 1, message_valid = 0, is_stalled = 0, is_rough = 1;
	wire message_ready, reply_valid, busy, error;
	reg [511:0] message = 0;
	wire [511:0] reply;
	wire [1:0] request_valid, request_write;
	wire [63:0] read_at, write_at;
	wire [5:0] read_bytes, write_bytes;
	wire [255:0] unused, write_data;
	reg [1:0] ready = 0;
	reg [127:0] memory [0:65535]; // by item
	reg [LATENCY-1:0] read_comes = 0, write_comes = 0;
	reg [255:0] data [0:LATENCY-1];
	reg [MERGES-1:0] told;
	integer i, k, m, as, bs, failed, cycles, replies, first_reply, last_reply, accepted;

	ndp dut (.clk(clk), .reset(reset), .message_valid(message_valid), .message_ready(message_ready),
		.message(message), .reply_valid(reply_valid), .reply_ready(1'b1), .reply(reply),
		.request_valid(request_valid), .request_ready(ready), .request_write(request_write),
		.request_address_0(read_at), .request_address_1(write_at), .request_bytes_0(read_bytes),
		.request_bytes_1(write_bytes), .request_data_0(unused), .request_data_1(write_data),
		.answer_valid({write_comes[LATENCY-1], read_comes[LATENCY-1]}), .answer_0(data[LATENCY-1]),
		.answer_1(256'b0), .busy(busy), .error(error));

	always #1 clk = !clk;
	always @(negedge clk)
		ready = is_stalled ? 2'b00 : is_rough ? $random : 2'b11;
	always @(posedge clk) begin
		cycles <= cycles + 1;
		read_comes <= {read_comes[LATENCY-2:0], request_valid[0] && ready[0]};
		write_comes <= {write_comes[LATENCY-2:0], request_valid[1] && ready[1]};
		data[0] <= {memory[read_at[19:4] + 1], memory[read_at[19:4]]};
		for (i = 1; i < LATENCY; i = i + 1)
			data[i] <= data[i - 1];
		if (request_valid[1] && ready[1]) begin
			memory[write_at[19:4]] <= write_data[127:0];
			if (write_bytes == 32)
				memory[write_at[19:4] + 1] <= write_data[255:128];
		end
		if (error || (request_valid[0] && request_write[0]) || (request_valid[1] && !request_write[1]))
			failed <= failed + 1;
		if (reply_valid) begin
			if (told[reply[6:0]] || reply[63:7] != 0)
				failed <= failed + 1;
			told[reply[6:0]] <= 1;
			if (replies == 0)
				first_reply <= cycles;
			last_reply <= cycles;
			replies <= replies + 1;
		end
	end

	// Lists of merge m: as and bs items, keys from one and the other in turns.
	function [31:0] length(input integer number, input integer second);
		length = is_rough ? (number * 7 + second * 5) % 32 : 30;
	endfunction

	task send(input integer number);
		begin
			as = length(number, 0);
			bs = length(number, 1);
			for (k = 0; k < as; k = k + 1)
				memory[number * STRIDE + k] = {64'd0 + number, 64'd2 * k};
			for (k = 0; k < bs; k = k + 1)
				memory[number * STRIDE + 32 + k] = {64'd1000 + number, 64'd1 + 64'd2 * k};
			message = {64'b0, 64'b0, (64'd64 + STRIDE * number) << 4, 32'b0, bs,
				(64'd32 + STRIDE * number) << 4, 32'b0, as, (64'd0 + STRIDE * number) << 4,
				64'd0 + number};
			message_valid = 1;
			#0.5;
		end
	endtask

	task check(input integer number);
		integer a, b;
		reg is_first;
		begin
			as = length(number, 0);
			bs = length(number, 1);
			a = 0;
			b = 0;
			for (k = 0; k < as + bs; k = k + 1) begin
				is_first = b == bs || (a < as && 2 * a < 2 * b + 1);
				if (memory[number * STRIDE + 64 + k] != (is_first ? {64'd0 + number, 64'd2 * a} :
					{64'd1000 + number, 64'd1 + 64'd2 * b}))
					failed = failed + 1;
				if (is_first)
					a = a + 1;
				else
					b = b + 1;
			end
		end
	endtask

	// Merges from first to before last, sent one after the other as the queue takes them.
	task run(input integer first, input integer last);
		begin
			replies = 0;
			cycles = 0;
			for (m = first; m < last; m = m + 1) begin
				send(m);
				while (!message_ready) @(negedge clk) #0.5;
				@(negedge clk);
				message_valid = 0;
			end
			while (replies < last - first) @(negedge clk);
			repeat (3) @(negedge clk);
			if (busy)
				failed = failed + 1;
			for (m = first; m < last; m = m + 1)
				check(m);
		end
	endtask

	initial begin
		failed = 0;
		told = 0;
		replies = 0;
		cycles = 0;
		repeat (3) @(negedge clk);
		reset = 0;
		run(0, 64); // all lengths, none among them
		// Without memory four cores and a queue of 32 take 36 messages and no more.
		is_stalled = 1;
		is_rough = 0;
		replies = 0;
		accepted = 0;
		for (m = 64; m < 104; m = m + 1) begin
			send(m);
			repeat (4) if (!message_ready) @(negedge clk) #0.5;
			if (message_ready) begin
				accepted = accepted + 1;
				@(negedge clk);
			end
			message_valid = 0;
		end
		if (accepted != 36) begin
			$display("unit: %0d messages taken", accepted);
			failed = failed + 1;
		end
		is_stalled = 0;
		while (replies < 36) @(negedge clk);
		for (m = 64; m < 100; m = m + 1)
			check(m);
		// Four merges of 60 items go on side by side, in turns: two items a cycle, and they end together.
		run(104, 108);
		if (last_reply > 60 * 4 / 2 + 4 * LATENCY || last_reply - first_reply > 16) begin
			$display("unit: four merges end after %0d to %0d cycles", first_reply, last_reply);
			failed = failed + 1;
		end
		$display("unit: %0d failed", failed);
		$finish;
	end
	// It takes 7602 ns; one that never ends is not waited for.
	initial #100000 $finish;
endmodule
