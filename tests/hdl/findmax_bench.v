// findmax_bench.v - FindMax on arrays of 1 to 5 blocks of chosen floats, in a memory that answers after 3 cycles.
`timescale 1ns / 1ps
module bench;
	reg clk = 0, reset = 1, start = 0;
	reg [31:0] blocks = 0;
	wire busy, done;
	wire [31:0] value, index;
	wire [1:0] request_valid;
	wire [63:0] at_0, at_1;
	reg [255:0] memory [0:7];
	reg [1:0] come [0:2];
	reg [255:0] data_0 [0:2];
	reg [255:0] data_1 [0:2];
	integer i, failed;

	findmax dut (.clk(clk), .reset(reset), .start(start), .address(64'd0), .blocks(blocks), .busy(busy), .done(done),
		.value(value), .index(index), .request_valid(request_valid), .request_ready(2'b11),
		.request_address_0(at_0), .request_address_1(at_1), .answer_valid(come[2]), .answer_0(data_0[2]),
		.answer_1(data_1[2]));

	always #1 clk = !clk;
	always @(posedge clk) begin
		come[0] <= request_valid;
		data_0[0] <= memory[at_0[7:5]];
		data_1[0] <= memory[at_1[7:5]];
		for (i = 1; i < 3; i = i + 1) begin
			come[i] <= come[i - 1];
			data_0[i] <= data_0[i - 1];
			data_1[i] <= data_1[i - 1];
		end
	end

	task find(input [31:0] count, input [31:0] wanted_value, input [31:0] wanted_index);
		begin
			@(negedge clk) start = 1;
			blocks = count;
			@(negedge clk) start = 0;
			while (!done) @(negedge clk);
			if (value != wanted_value || index != wanted_index) begin
				$display("findmax: of %0d blocks %h at %0d, not %h at %0d", count, value, index,
					wanted_value, wanted_index);
				failed = failed + 1;
			end
			@(negedge clk);
		end
	endtask

	initial begin
		failed = 0;
		for (i = 0; i < 8; i = i + 1)
			memory[i] = {8{32'hc0000000}}; // -2
		for (i = 0; i < 3; i = i + 1)
			come[i] = 0;
		repeat (3) @(negedge clk);
		reset = 0;
		find(1, 32'hc0000000, 0); // all equal: the first
		find(5, 32'hc0000000, 0);
		memory[0][32*3 +: 32] = 32'hbf800000; // -1
		find(1, 32'hbf800000, 3);
		memory[2][32*7 +: 32] = 32'h80000000; // -0, and +0 behind it, are equal
		memory[3][0 +: 32] = 32'h00000000;
		find(4, 32'h00000000, 23);
		memory[4][32*5 +: 32] = 32'h00000001; // the smallest
		find(4, 32'h00000000, 23);
		find(5, 32'h00000001, 37);
		memory[1][32*2 +: 32] = 32'h40490fdb; // pi, twice: in the other lane first
		memory[2][32*1 +: 32] = 32'h40490fdb;
		find(5, 32'h40490fdb, 10);
		memory[0][32*7 +: 32] = 32'h40490fdb;
		find(5, 32'h40490fdb, 7);
		$display("findmax: %0d failed", failed);
		$finish;
	end
endmodule
