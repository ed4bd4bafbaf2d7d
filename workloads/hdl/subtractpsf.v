// subtractpsf.v - of an image of floats of 32 bits, a scaled point spread function (PSF) is subtracted where they
// overlap: 8 pixels in two cycles. NDP thesis section 5.5.1.
//
// Image and PSF lie row by row, rows begin at multiples of 32 bytes. Arithmetic is IEEE 754's, rounded to nearest, even;
// of finite numbers. Port 0 reads both, port 1 writes.

// a * b.
module float_multiply (
	input [31:0] a,
	input [31:0] b,
	output [31:0] product
);
	wire [7:0] exponent_a = a[30:23] == 0 ? 8'd1 : a[30:23];
	wire [7:0] exponent_b = b[30:23] == 0 ? 8'd1 : b[30:23];
	wire [47:0] exact = {24'b0, a[30:23] != 0, a[22:0]} * {24'b0, b[30:23] != 0, b[22:0]};

	reg [5:0] zeros; // before its first one
	reg signed [11:0] exponent, shift;
	reg [47:0] normal, kept;
	reg sticky, up;
	reg [31:0] magnitude;
	integer i;

	always @* begin
		zeros = 48;
		for (i = 0; i < 48; i = i + 1)
			if (exact[i])
				zeros = 6'd47 - i[5:0];
		normal = exact << zeros;
		exponent = $signed({4'b0, exponent_a}) + $signed({4'b0, exponent_b}) - 126 - $signed({6'b0, zeros});
		// What is too small for its exponent has the smallest one and fewer bits.
		shift = exponent < 1 ? 1 - exponent : 0;
		if (shift > 48)
			shift = 48;
		kept = normal >> shift;
		sticky = (kept << shift) != normal || kept[22:0] != 0;
		up = kept[23] && (sticky || kept[24]);
		magnitude = {8'b0, kept[47:24]};
		if (exact == 0)
			magnitude = 0;
		else if (exponent < 1)
			magnitude = magnitude + {31'b0, up};
		else if (exponent > 254)
			magnitude = 32'h7f800000;
		else
			// The first bit of the fraction adds one to the exponent, and so does a carry.
			magnitude = magnitude + {31'b0, up} + {exponent[8:0] - 9'd1, 23'b0};
		if (magnitude > 32'h7f800000)
			magnitude = 32'h7f800000;
	end
	assign product = {a[31] ^ b[31], magnitude[30:0]};
endmodule

// a - b.
module float_subtract (
	input [31:0] a,
	input [31:0] b,
	output [31:0] difference
);
	wire swaps = b[30:0] > a[30:0];
	wire [31:0] larger = swaps ? {~b[31], b[30:0]} : a;
	wire [31:0] lesser = swaps ? a : {~b[31], b[30:0]};
	wire [7:0] exponent_large = larger[30:23] == 0 ? 8'd1 : larger[30:23];
	wire [7:0] exponent_small = lesser[30:23] == 0 ? 8'd1 : lesser[30:23];
	wire [7:0] apart = exponent_large - exponent_small;
	wire is_difference = larger[31] != lesser[31];

	// Three bits more: guard, round, sticky; and room for a carry.
	wire [27:0] wide_large = {1'b0, larger[30:23] != 0, larger[22:0], 3'b0};
	wire [27:0] wide_small = {1'b0, lesser[30:23] != 0, lesser[22:0], 3'b0};
	wire [27:0] shifted = apart > 27 ? 28'b0 : wide_small >> apart;
	wire lost = apart > 27 ? wide_small != 0 : (shifted << apart) != wide_small;
	wire [27:0] aligned = {shifted[27:1], shifted[0] | lost};
	wire [27:0] sum = is_difference ? wide_large - aligned : wide_large + aligned;

	reg [4:0] zeros; // before its first one, below the carry
	reg [27:0] normal;
	reg [8:0] exponent;
	reg up;
	reg [31:0] magnitude;
	integer i;

	always @* begin
		zeros = 27;
		for (i = 0; i < 27; i = i + 1)
			if (sum[i])
				zeros = 5'd26 - i[4:0];
		if (sum[27]) begin
			normal = {1'b0, sum[27:2], sum[1] | sum[0]};
			exponent = {1'b0, exponent_large} + 1;
		end else if ({3'b0, zeros} >= exponent_large) begin
			normal = sum << (exponent_large - 1);
			exponent = 1;
		end else begin
			normal = sum << zeros;
			exponent = {1'b0, exponent_large} - {4'b0, zeros};
		end
		up = normal[2] && (normal[1] || normal[0] || normal[3]);
		magnitude = {8'b0, normal[26:3]} + {exponent - 9'd1, 23'b0} + {31'b0, up};
		if (exponent > 254 || magnitude > 32'h7f800000)
			magnitude = 32'h7f800000;
	end
	// What cancels is +0; -0 is the sum of two of them only.
	assign difference = sum == 0 ? {larger[31] && lesser[31], 31'b0} : {larger[31], magnitude[30:0]};
endmodule

// Words that were asked for and have come, in order.
module subtract_buffer #(parameter DEPTH_BITS = 4) (
	input clk,
	input start,
	input asks,
	output has_room, // for one more to be asked for
	input come,
	input [255:0] word,
	output valid,
	output [255:0] first,
	input take
);
	reg [255:0] words [0:(1<<DEPTH_BITS)-1];
	reg [DEPTH_BITS-1:0] head, tail;
	reg [DEPTH_BITS:0] held, taken_on;

	assign has_room = taken_on < (1 << DEPTH_BITS);
	assign valid = held != 0;
	assign first = words[head];

	always @(posedge clk) begin
		if (come)
			words[tail] <= word;
		if (start) begin
			head <= 0;
			tail <= 0;
			held <= 0;
			taken_on <= 0;
		end else begin
			if (come)
				tail <= tail + 1'b1;
			if (take)
				head <= head + 1'b1;
			held <= held + (come ? 1 : 0) - (take ? 1 : 0);
			taken_on <= taken_on + (asks ? 1 : 0) - (take ? 1 : 0);
		end
	end
endmodule

// Addresses of blocks, row by row.
module subtract_walk (
	input clk,
	input start,
	input [63:0] address, // of the first block
	input [31:0] blocks,  // of a row
	input [31:0] rows,
	input [31:0] stride,  // bytes from row to row
	output is_over,
	output [63:0] at,
	input step
);
	reg [63:0] row_address, block_address;
	reg [31:0] blocks_left, rows_left;

	assign is_over = rows_left == 0;
	assign at = block_address;

	always @(posedge clk)
		if (start) begin
			row_address <= address;
			block_address <= address;
			blocks_left <= blocks;
			rows_left <= rows;
		end else if (step) begin
			if (blocks_left == 1) begin
				row_address <= row_address + {32'b0, stride};
				block_address <= row_address + {32'b0, stride};
				blocks_left <= blocks;
				rows_left <= rows_left - 1;
			end else begin
				block_address <= block_address + 32;
				blocks_left <= blocks_left - 1;
			end
		end
endmodule

// The overlap has columns [x_begin, x_end) of the image; column x is the PSF's x - x_shift. One pixel at least.
module subtractpsf (
	input clk,
	input reset,
	input start,
	input [63:0] image, // of the overlap's first row, column 0
	input [63:0] psf,   // as well
	input [31:0] image_stride, // bytes
	input [31:0] psf_stride,
	input [31:0] x_begin,
	input [31:0] x_end,
	input signed [31:0] x_shift,
	input [31:0] rows,
	input [31:0] factor, // a float
	output busy,
	output done, // one cycle

	output read_valid,
	input read_ready,
	output [63:0] read_address,
	input answer_valid,
	input [255:0] answer,
	output write_valid,
	input write_ready,
	output [63:0] write_address,
	output [255:0] write_data,
	input written
);
	localparam OUT_BITS = 4;
	reg works;
	reg [31:0] scale, begin_x, end_x;
	reg signed [31:0] shift_x;

	// The blocks of a row, of the image and of the PSF.
	wire [31:0] image_begin = x_begin >> 3, image_end = (x_end - 1) >> 3;
	wire signed [31:0] psf_begin = ($signed(x_begin) - x_shift) >>> 3;
	wire signed [31:0] psf_end = ($signed(x_end) - 1 - x_shift) >>> 3;
	reg [31:0] first_block, last_block;
	reg signed [31:0] first_psf, last_psf;

	// ---- reading: image and PSF in turns, answers in the order of the requests ----
	wire image_over, psf_over, image_room, psf_room;
	wire [63:0] image_at, psf_at, write_at;
	wire image_can = !image_over && image_room, psf_can = !psf_over && psf_room;
	reg image_last; // the port was the image's
	wire is_image = image_can && (!psf_can || !image_last);
	wire reads = read_valid && read_ready;
	reg order [0:63];
	reg [5:0] order_head, order_tail;
	wire answers_image = order[order_head];

	assign read_valid = works && (image_can || psf_can);
	assign read_address = is_image ? image_at : psf_at;

	wire image_valid, psf_valid, take_image, take_psf;
	wire [255:0] image_word, psf_word;

	subtract_walk image_walk (.clk(clk), .start(start), .address(image + {32'b0, image_begin << 5}),
		.blocks(image_end - image_begin + 1), .rows(rows), .stride(image_stride), .is_over(image_over),
		.at(image_at), .step(reads && is_image));
	subtract_walk psf_walk (.clk(clk), .start(start), .address(psf + {32'b0, psf_begin << 5}),
		.blocks(psf_end - psf_begin + 1), .rows(rows), .stride(psf_stride), .is_over(psf_over), .at(psf_at),
		.step(reads && !is_image));
	subtract_buffer image_buffer (.clk(clk), .start(start), .asks(reads && is_image), .has_room(image_room),
		.come(works && answer_valid && answers_image), .word(answer), .valid(image_valid), .first(image_word),
		.take(take_image));
	subtract_buffer psf_buffer (.clk(clk), .start(start), .asks(reads && !is_image), .has_room(psf_room),
		.come(works && answer_valid && !answers_image), .word(answer), .valid(psf_valid), .first(psf_word),
		.take(take_psf));

	// ---- two blocks of the PSF, of which 8 pixels lie beside a block of the image ----
	reg [31:0] block, rows_left;
	reg signed [31:0] psf_block; // that is in the upper half of the window
	reg [511:0] window;
	wire signed [31:0] wanted = (($signed(block << 3) - shift_x) >>> 3) + 1;
	wire [2:0] offset = 3'd0 - shift_x[2:0];
	wire in_place = psf_block == wanted;
	wire is_beyond = psf_block >= last_psf;
	wire moves = works && rows_left != 0 && !in_place && (is_beyond || psf_valid);
	wire [511:0] beside = window >> {offset, 5'b0};
	reg [OUT_BITS:0] out_count;
	reg [1:0] under_way; // in the two stages
	wire has_room = out_count + {{(OUT_BITS-1){1'b0}}, under_way} < (1 << OUT_BITS);
	wire combines = works && rows_left != 0 && in_place && image_valid && has_room;

	assign take_psf = moves && !is_beyond;
	assign take_image = combines;

	// ---- products, then differences ----
	reg multiplied_valid, subtracted_valid;
	reg [255:0] multiplied, multiplied_image, subtracted;
	reg [7:0] multiplied_mask;
	wire [255:0] products, differences;
	wire [7:0] mask;

	genvar g;
	generate
		for (g = 0; g < 8; g = g + 1) begin : lanes
			assign mask[g] = {block[28:0], 3'd0} + g >= begin_x && {block[28:0], 3'd0} + g < end_x;
			float_multiply multiply (.a(beside[32*g +: 32]), .b(scale), .product(products[32*g +: 32]));
			float_subtract subtract (.a(multiplied_image[32*g +: 32]), .b(multiplied[32*g +: 32]),
				.difference(differences[32*g +: 32]));
		end
	endgenerate

	// ---- writing ----
	reg [255:0] out [0:(1<<OUT_BITS)-1];
	reg [OUT_BITS-1:0] out_head, out_tail;
	reg [15:0] writes; // not done
	wire write_over;
	wire sent = write_valid && write_ready;

	assign write_valid = out_count != 0;
	assign write_address = write_at;
	assign write_data = out[out_head];
	subtract_walk write_walk (.clk(clk), .start(start), .address(image + {32'b0, image_begin << 5}),
		.blocks(image_end - image_begin + 1), .rows(rows), .stride(image_stride), .is_over(write_over),
		.at(write_at), .step(sent));

	assign busy = works;
	assign done = works && write_over && writes == 0;

	integer i;
	always @(posedge clk) begin
		multiplied_valid <= combines;
		multiplied <= products;
		multiplied_image <= image_word;
		multiplied_mask <= mask;
		subtracted_valid <= multiplied_valid;
		for (i = 0; i < 8; i = i + 1)
			subtracted[32*i +: 32] <= multiplied_mask[i] ? differences[32*i +: 32] : multiplied_image[32*i +: 32];
		if (subtracted_valid)
			out[out_tail] <= subtracted;
		if (reads)
			order[order_tail] <= is_image;
		if (reset || start) begin
			works <= start && !reset;
			scale <= factor;
			begin_x <= x_begin;
			end_x <= x_end;
			shift_x <= x_shift;
			first_block <= image_begin;
			last_block <= image_end;
			first_psf <= psf_begin;
			last_psf <= psf_end;
			block <= image_begin;
			rows_left <= rows;
			psf_block <= psf_begin - 1;
			image_last <= 0;
			order_head <= 0;
			order_tail <= 0;
			out_head <= 0;
			out_tail <= 0;
			out_count <= 0;
			under_way <= 0;
			writes <= 0;
			multiplied_valid <= 0;
			subtracted_valid <= 0;
		end else begin
			works <= works && !done;
			if (reads) begin
				image_last <= is_image;
				order_tail <= order_tail + 1'b1;
			end
			if (works && answer_valid)
				order_head <= order_head + 1'b1;
			if (moves) begin
				window <= {is_beyond ? 256'b0 : psf_word, window[511:256]};
				psf_block <= psf_block + 1;
			end
			if (combines) begin
				if (block == last_block) begin
					block <= first_block;
					rows_left <= rows_left - 1;
					psf_block <= first_psf - 1;
				end else
					block <= block + 1;
			end
			under_way <= under_way + (combines ? 1 : 0) - (subtracted_valid ? 1 : 0);
			if (subtracted_valid)
				out_tail <= out_tail + 1'b1;
			if (sent)
				out_head <= out_head + 1'b1;
			out_count <= out_count + (subtracted_valid ? 1 : 0) - (sent ? 1 : 0);
			writes <= writes + (sent ? 1 : 0) - (written ? 1 : 0);
		end
	end
endmodule
