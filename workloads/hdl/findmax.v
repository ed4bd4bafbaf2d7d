// findmax.v - the largest of an array of floats of 32 bits, and where it is first: both ports read, a block of 8 each
// per cycle.
//
// The array begins at a multiple of 32 bytes and has a multiple of 8 floats, none of which is not a number. NDP thesis
// section 5.5.1.

// Every second block, from `first` on.
module findmax_lane (
	input clk,
	input start,
	input first,
	input [63:0] address, // of the array
	input [31:0] blocks,

	output request_valid,
	input request_ready,
	output [63:0] request_address,
	input answer_valid,
	input [255:0] answer,

	output is_over,
	output reg has_any,
	output reg [31:0] best, // ordered as unsigned integers are
	output reg [31:0] best_index
);
	reg [63:0] asked_address;
	reg [31:0] asked_left, come_left, come_index;

	// Ordered as the floats are; both zeros are one.
	function [31:0] ordered(input [31:0] x);
		ordered = x[30:0] == 0 ? 32'h80000000 : x[31] ? ~x : {1'b1, x[30:0]};
	endfunction

	reg [31:0] block_best, candidate;
	reg [2:0] block_index;
	integer i;

	always @* begin
		block_best = ordered(answer[31:0]);
		block_index = 0;
		candidate = 0;
		for (i = 1; i < 8; i = i + 1) begin
			candidate = ordered(answer[32*i +: 32]);
			if (candidate > block_best) begin
				block_best = candidate;
				block_index = i[2:0];
			end
		end
	end

	assign request_valid = asked_left != 0;
	assign request_address = asked_address;
	assign is_over = come_left == 0;

	always @(posedge clk) begin
		if (start) begin
			asked_address <= address + (first ? 32 : 0);
			asked_left <= (blocks + (first ? 0 : 1)) >> 1;
			come_left <= (blocks + (first ? 0 : 1)) >> 1;
			come_index <= first ? 8 : 0;
			has_any <= 0;
		end else begin
			if (request_valid && request_ready) begin
				asked_address <= asked_address + 64;
				asked_left <= asked_left - 1;
			end
			if (answer_valid) begin
				come_left <= come_left - 1;
				come_index <= come_index + 16;
				if (!has_any || block_best > best) begin
					has_any <= 1;
					best <= block_best;
					best_index <= come_index + {29'b0, block_index};
				end
			end
		end
	end
endmodule

module findmax (
	input clk,
	input reset,
	input start,
	input [63:0] address,
	input [31:0] blocks,
	output busy,
	output done, // one cycle
	output [31:0] value,
	output [31:0] index,

	output [1:0] request_valid,
	input [1:0] request_ready,
	output [63:0] request_address_0,
	output [63:0] request_address_1,
	input [1:0] answer_valid,
	input [255:0] answer_0,
	input [255:0] answer_1
);
	reg works;
	wire [1:0] over, any, asks;
	wire [31:0] best_0, best_1, index_0, index_1;
	// The first of two that are equal.
	wire second = any[1] && (!any[0] || best_1 > best_0 || (best_1 == best_0 && index_1 < index_0));
	wire [31:0] best = second ? best_1 : best_0;

	assign busy = works;
	assign done = works && (&over);
	assign request_valid = works ? asks : 2'b0;
	assign value = best[31] ? {1'b0, best[30:0]} : ~best;
	assign index = second ? index_1 : index_0;

	findmax_lane lane_0 (.clk(clk), .start(start), .first(1'b0), .address(address), .blocks(blocks),
		.request_valid(asks[0]), .request_ready(request_ready[0]), .request_address(request_address_0),
		.answer_valid(works && answer_valid[0]), .answer(answer_0), .is_over(over[0]), .has_any(any[0]),
		.best(best_0), .best_index(index_0));
	findmax_lane lane_1 (.clk(clk), .start(start), .first(1'b1), .address(address), .blocks(blocks),
		.request_valid(asks[1]), .request_ready(request_ready[1]), .request_address(request_address_1),
		.answer_valid(works && answer_valid[1]), .answer(answer_1), .is_over(over[1]), .has_any(any[1]),
		.best(best_1), .best_index(index_1));

	always @(posedge clk)
		if (reset)
			works <= 0;
		else
			works <= start || (works && !done);
endmodule
