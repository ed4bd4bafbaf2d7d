// subtractpsf_bench.v - its multiplication and subtraction against 64-bit arithmetic rounded once more, which is the same
// (a double has more than twice a float's bits and two); then SubtractPSF on a picture, overlaps of all shifts.
`timescale 1ns / 1ps
module bench;
	integer fault = 0; // what "benches" has planted
	initial if (!$value$plusargs("fault=%d", fault)) fault = 0;
	// ---- arithmetic ----
	reg [31:0] a, b;
	wire [31:0] product, difference;
	float_multiply multiply (.a(a), .b(b), .product(product));
	float_subtract subtract (.a(a), .b(b), .difference(difference));

	// A double to a float: to nearest, even.
	function [31:0] rounded(input [63:0] x);
		reg signed [12:0] exponent;
		reg [52:0] bits, kept, lost;
		reg [5:0] by;
		reg [31:0] magnitude;
		begin
			exponent = $signed({2'b0, x[62:52]}) - 1023 + 127;
			bits = {x[62:52] != 0, x[51:0]};
			by = exponent >= 1 ? 29 : exponent < -23 ? 53 : 6'd30 - exponent[5:0];
			kept = bits >> by;
			lost = bits - (kept << by);
			magnitude = kept[31:0] + (exponent >= 1 ? {exponent[8:0] - 9'd1, 23'b0} : 0);
			if (lost > (53'd1 << (by - 1)) || (lost == (53'd1 << (by - 1)) && kept[0]))
				magnitude = magnitude + 1;
			if (exponent > 254 || magnitude > 32'h7f800000)
				magnitude = 32'h7f800000;
			if (x[62:0] == 0 || exponent < -23)
				magnitude = 0;
			rounded = {x[63], magnitude[30:0]};
		end
	endfunction

	function real wide(input [31:0] x);
		real m;
		begin
			m = x[30:23] == 0 ? $itor(x[22:0]) * (2.0 ** -149)
					  : $itor({9'b1, x[22:0]}) * (2.0 ** ($signed({24'b0, x[30:23]}) - 150));
			wide = x[31] ? -m : m;
		end
	endfunction

	integer i, failed, seed;
	task one;
		reg [31:0] want_product, want_difference;
		begin
			#1;
			want_product = rounded($realtobits(wide(a) * wide(b)));
			want_difference = rounded($realtobits(wide(a) - wide(b)));
			if (product[30:0] != want_product[30:0] || difference[30:0] != want_difference[30:0] ||
			    (want_difference[30:0] != 0 && difference[31] != want_difference[31])) begin
				$display("%h * %h = %h, not %h; - %h, not %h", a, b, product, want_product, difference,
					want_difference);
				failed = failed + 1;
			end
		end
	endtask

	// ---- a picture of 16 x 4 pixels, one block of the PSF more at each end ----
	reg clk = 0, reset = 1, start = 0;
	reg [31:0] x_begin, x_end;
	reg signed [31:0] x_shift;
	wire busy, done, read_valid, write_valid;
	wire [63:0] read_address, write_address;
	wire [255:0] write_data;
	reg [31:0] memory [0:255]; // the image from 0 on, the PSF from 128 on, by float
	reg [31:0] old [0:63];
	reg [2:0] come, wrote;
	reg [255:0] data [0:2];
	integer k, x, y;

	subtractpsf dut (.clk(clk), .reset(reset), .start(start), .image(64'd0), .psf(64'd512), .image_stride(64),
		.psf_stride(64), .x_begin(x_begin), .x_end(x_end), .x_shift(x_shift), .rows(4), .factor(32'h3f000000),
		.busy(busy), .done(done), .read_valid(read_valid), .read_ready(1'b1), .read_address(read_address),
		.answer_valid(come[2]), .answer(data[2]), .write_valid(write_valid), .write_ready(1'b1),
		.write_address(write_address), .write_data(write_data), .written(wrote[2]));

	always #1 clk = !clk;
	always @(posedge clk) begin
		come <= {come[1:0], read_valid};
		wrote <= {wrote[1:0], write_valid};
		data[1] <= data[0];
		data[2] <= data[1];
		for (k = 0; k < 8; k = k + 1) begin
			data[0][32*k +: 32] <= memory[read_address[9:2] + k];
			if (write_valid)
				memory[write_address[9:2] + k] <= write_data[32*k +: 32];
		end
	end

	task overlap(input signed [31:0] by);
		reg [31:0] want;
		begin
			x_shift = by;
			x_begin = by > 0 ? by : 0;
			x_end = by > 0 ? 16 : 16 + by;
			for (k = 0; k < 64; k = k + 1) begin
				memory[k] = rounded($realtobits(100.0 + k));
				memory[128 + k] = rounded($realtobits(2.0 * k + 2.0));
				old[k] = memory[k];
			end
			@(negedge clk) start = 1;
			@(negedge clk) start = 0;
			while (!done) @(negedge clk);
			for (y = 0; y < 4; y = y + 1)
				for (x = 0; x < 16; x = x + 1) begin
					want = old[16*y + x];
					if (x >= x_begin && x < x_end)
						want = rounded($realtobits(100.0 + 16*y + x - (16*y + x - by + 1.0)));
					if (memory[16*y + x] != want) begin
						$display("shift %0d: pixel %0d, %0d is %h, not %h", by, x, y,
							memory[16*y + x], want);
						failed = failed + 1;
					end
				end
			@(negedge clk);
		end
	endtask

	initial begin
		failed = 0;
		seed = 1;
		come = 0;
		wrote = 0;
		for (i = 0; i < 200000; i = i + 1) begin
			a = $random(seed);
			b = $random(seed);
			// Of all exponents; of those near each other, where bits cancel; and of the smallest.
			if (i % 4 == 1)
				b[30:23] = a[30:23] + {6'b0, b[24:23]} - 1;
			if (i % 4 == 2)
				a[30:23] = {7'b0, a[23]};
			if (i % 4 == 3) begin
				a[30:23] = {3'b0, a[27:23]};
				b[30:23] = 8'd100 + {3'b0, b[27:23]};
			end
			if (a[30:23] == 255) a[30:23] = 254;
			if (b[30:23] == 255) b[30:23] = 254;
			if (failed < 10)
				one;
		end
		repeat (3) @(negedge clk);
		reset = 0;
		for (i = -15; i < 16; i = i + 1)
			overlap(i);
		$display("subtractpsf: %0d failed", failed);
		$finish;
	end
endmodule
