// clean.v - an NDP for CLEAN: FindMax and SubtractPSF, one at a time, and the manager that hands them the messages.
//
// A message is eight words of 64 bits. FindMax: 0, the array's address, its floats; the reply's first word is the value
// (low half) and the index. SubtractPSF: 1, the addresses of image and PSF in the overlap's first row, their rows' bytes
// (low half: the image's), the columns' begin and end, the columns' shift and the rows, the factor; the reply is 0.
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
	wire finds, subtracts, found, subtracted;
	wire [31:0] value, index;
	wire [1:0] find_valid;
	wire [63:0] find_address_0, find_address_1, read_address, write_address;
	wire read_valid, write_valid;
	reg tells;
	reg [63:0] told;
	wire takes = message_valid && message_ready;
	wire is_subtract = message[0];

	assign message_ready = !finds && !subtracts && !tells;
	assign busy = finds || subtracts || tells;
	assign reply_valid = tells;
	assign reply = {448'b0, told};
	assign request_valid = finds ? find_valid : {write_valid, read_valid};
	assign request_write = finds ? 2'b00 : 2'b10;
	assign request_address_0 = finds ? find_address_0 : read_address;
	assign request_address_1 = finds ? find_address_1 : write_address;
	assign request_bytes_0 = 32;
	assign request_bytes_1 = 32;
	assign request_data_0 = 256'b0;
	// No such command, floats that are no whole blocks, rows that do not begin at blocks.
	assign error = takes && (message[63:1] != 0 || message[68:64] != 0 ||
		(!is_subtract && (message[130:128] != 0 || message[159:128] == 0)) ||
		(is_subtract && (message[132:128] != 0 || message[196:192] != 0 || message[228:224] != 0)));

	findmax find (.clk(clk), .reset(reset), .start(takes && !is_subtract), .address(message[127:64]),
		.blocks(message[159:128] >> 3), .busy(finds), .done(found), .value(value), .index(index),
		.request_valid(find_valid), .request_ready(request_ready), .request_address_0(find_address_0),
		.request_address_1(find_address_1), .answer_valid(answer_valid), .answer_0(answer_0),
		.answer_1(answer_1));
	subtractpsf subtract (.clk(clk), .reset(reset), .start(takes && is_subtract), .image(message[127:64]),
		.psf(message[191:128]), .image_stride(message[223:192]), .psf_stride(message[255:224]),
		.x_begin(message[287:256]), .x_end(message[319:288]), .x_shift(message[351:320]),
		.rows(message[383:352]), .factor(message[415:384]), .busy(subtracts), .done(subtracted),
		.read_valid(read_valid), .read_ready(request_ready[0]), .read_address(read_address),
		.answer_valid(answer_valid[0] && subtracts), .answer(answer_0), .write_valid(write_valid),
		.write_ready(request_ready[1]), .write_address(write_address), .write_data(request_data_1),
		.written(answer_valid[1] && subtracts));

	always @(posedge clk) begin
		if (found)
			told <= {index, value};
		else if (subtracted)
			told <= 0;
		if (reset)
			tells <= 0;
		else
			tells <= found || subtracted || (tells && !reply_ready);
	end
endmodule
