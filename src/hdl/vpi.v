// vpi.v - what steps a design under Icarus Verilog: each cycle is one of the simulator's (vpi.c), which decides what goes
// into it and when it is.
`timescale 1ps / 1ps
module strata_shim;
	reg clk, reset, message_valid, reply_ready;
	reg [511:0] message;
	reg [1:0] request_ready, answer_valid;
	reg [255:0] answer_0, answer_1;
	wire message_ready, reply_valid, busy, error;
	wire [511:0] reply;
	wire [1:0] request_valid, request_write;
	wire [63:0] request_address_0, request_address_1;
	wire [5:0] request_bytes_0, request_bytes_1;
	wire [255:0] request_data_0, request_data_1;
	reg [63:0] pause, half;
	reg records, recorded;
	reg [8*1024-1:0] wave;

	ndp
`include "parameters.vh"
	ndp (.clk(clk), .reset(reset), .message_valid(message_valid), .message_ready(message_ready),
		.message(message), .reply_valid(reply_valid), .reply_ready(reply_ready), .reply(reply),
		.request_valid(request_valid), .request_ready(request_ready), .request_write(request_write),
		.request_address_0(request_address_0), .request_address_1(request_address_1),
		.request_bytes_0(request_bytes_0), .request_bytes_1(request_bytes_1),
		.request_data_0(request_data_0), .request_data_1(request_data_1), .answer_valid(answer_valid),
		.answer_0(answer_0), .answer_1(answer_1), .busy(busy), .error(error));

	initial begin
		clk = 0;
		recorded = 0;
		wave = 0;
		// What has no value has begun and waits for one: then all of it is 0, as under Verilator.
		#1 $strata_begin;
		if ($value$plusargs("wave=%s", wave))
			$dumpfile(wave);
		#1;
		forever begin
			// The time until the cycle begins, and a half of it.
			$strata_next(pause, half, records);
			#(pause);
			if (records && !recorded) begin
				$strata_mute(1); // vvp says on standard output that it opens a file
				$dumpvars(0, ndp);
				$strata_mute(0);
			end else if (!records && recorded)
				$dumpoff;
			recorded = records;
			clk = 0;
			$strata_give(reset, message_valid, reply_ready, message, request_ready, answer_valid, answer_0,
				answer_1);
			#(half);
			$strata_take(message_ready, reply_valid, busy, error, reply, request_valid, request_write,
				request_address_0, request_address_1, request_bytes_0, request_bytes_1, request_data_0,
				request_data_1);
			clk = 1;
			#1;
		end
	end
endmodule
