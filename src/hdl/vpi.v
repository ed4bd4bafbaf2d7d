// vpi.v - what steps a design under Icarus Verilog: each cycle is one of the simulator's (vpi.c), which decides what goes
// into it and when it is.
`timescale 1ps / 1ps
`include "ports.vh" // of as many memory ports, and as wide, as the run has
module strata_shim;
	reg clk, reset, message_valid, reply_ready;
	reg [511:0] message;
	reg [`PORT_COUNT-1:0] request_ready, answer_valid;
	reg [`PORT_BITS-1:0] `ANSWERS;
	wire message_ready, reply_valid, busy, error;
	wire [511:0] reply;
	wire [`PORT_COUNT-1:0] request_valid, request_write;
	wire [63:0] `ADDRESSES;
	wire [`SIZE_BITS-1:0] `SIZES;
	wire [`PORT_BITS-1:0] `DATA;
	reg [63:0] pause, half;
	reg records, recorded;
	reg [8*1024-1:0] wave;

	ndp
`include "parameters.vh"
	ndp (.clk(clk), .reset(reset), .message_valid(message_valid), .message_ready(message_ready),
		.message(message), .reply_valid(reply_valid), .reply_ready(reply_ready), .reply(reply),
		.request_valid(request_valid), .request_ready(request_ready), .request_write(request_write),
		`CONNECTIONS, .answer_valid(answer_valid), .busy(busy), .error(error));

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
			$strata_give(reset, message_valid, reply_ready, message, request_ready, answer_valid,
				`ANSWERS);
			#(half);
			$strata_take(message_ready, reply_valid, busy, error, reply, request_valid, request_write,
				`ADDRESSES, `SIZES, `DATA);
			clk = 1;
			#1;
		end
	end
endmodule
