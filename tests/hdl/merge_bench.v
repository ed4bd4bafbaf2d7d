// merge_bench.v - a merge core on two lists of all lengths to 40, keys that are equal among them, which begin in the
// middle of a block or not, as the output does, in a memory that answers after 3 cycles; an item for each cycle of a long
// merge; and one whose writes nobody takes for a while, so that all that is read ahead and waits to be written is full.
`timescale 1ns / 1ps
module bench;
	reg clk = 0, reset = 1, start = 0;
	reg [511:0] work = 0;
	wire idle, done, write_valid;
	wire [63:0] tag, at_0, at_1, write_at;
	wire [1:0] read_valid;
	wire [5:0] bytes_0, bytes_1, write_bytes;
	wire [255:0] write_data;
	reg [127:0] memory [0:4095]; // by item: the lists from 0 and 1024 on, the output from 2048 on
	reg last; // whose turn it was
	wire turn = read_valid[0] && read_valid[1] ? !last : read_valid[1];
	reg [2:0] come_0, come_1, wrote;
	reg [255:0] data [0:2];
	wire [63:0] at = turn ? at_1 : at_0;
	integer i, k, failed, cycles, as, bs;
	reg is_stalled; // no write is taken
	wire writes = write_valid && !is_stalled;

	merge_core dut (.clk(clk), .reset(reset), .start(start), .work(work), .idle(idle), .done(done), .tag(tag),
		.read_valid(read_valid), .read_ready({turn, !turn}), .read_address_0(at_0), .read_address_1(at_1),
		.read_bytes_0(bytes_0), .read_bytes_1(bytes_1), .answer_valid({come_1[2], come_0[2]}), .answer(data[2]),
		.write_valid(write_valid), .write_ready(!is_stalled), .write_address(write_at), .write_bytes(write_bytes),
		.write_data(write_data), .written(wrote[2]));

	always #1 clk = !clk;
	always @(posedge clk) begin
		cycles <= cycles + 1;
		last <= turn;
		come_0 <= {come_0[1:0], read_valid[0] && !turn};
		come_1 <= {come_1[1:0], read_valid[1] && turn};
		wrote <= {wrote[1:0], writes};
		data[0] <= {memory[at[15:4] + 1], memory[at[15:4]]};
		data[1] <= data[0];
		data[2] <= data[1];
		if (writes) begin
			memory[write_at[15:4]] <= write_data[127:0];
			if (write_bytes == 32)
				memory[write_at[15:4] + 1] <= write_data[255:128];
		end
	end

	// Keys of the first list are 0, 0, 1, 1 ...; of the second 0, 0, 0, 1 ...; the other half says whose it is.
	task merge(input integer a, input integer b);
		integer from_a, from_b, at_a, at_b, at_out; // in items
		reg [127:0] want;
		begin
			at_a = a / 2 % 2;
			at_b = 1024 + b / 2 % 2;
			at_out = 2048 + (a + b / 2) % 2;
			for (k = 0; k < a; k = k + 1)
				memory[at_a + k] = {64'd1000 + k, 64'd0 + k / 64'd2};
			for (k = 0; k < b; k = k + 1)
				memory[at_b + k] = {64'd2000 + k, 64'd0 + k / 64'd3};
			memory[at_out - 1] = {128{1'b1}};
			memory[at_out + a + b] = {128{1'b1}};
			work = {64'b0, 64'b0, (64'd0 + at_out) << 4, 32'b0, b, (64'd0 + at_b) << 4, 32'b0, a,
				(64'd0 + at_a) << 4, 64'd7};
			@(negedge clk) start = 1;
			@(negedge clk) start = 0;
			cycles = 0;
			while (!done) @(negedge clk) is_stalled = is_stalled && cycles < 200;
			if (wrote != 0) // done before the last write is
				failed = failed + 1;
			from_a = 0;
			from_b = 0;
			for (k = 0; k < a + b; k = k + 1) begin
				if (from_b == b || (from_a < a && from_a / 2 <= from_b / 3)) begin
					want = {64'd1000 + from_a, 64'd0 + from_a / 64'd2};
					from_a = from_a + 1;
				end else begin
					want = {64'd2000 + from_b, 64'd0 + from_b / 64'd3};
					from_b = from_b + 1;
				end
				if (memory[at_out + k] != want)
					failed = failed + 1;
			end
			if (memory[at_out - 1] != {128{1'b1}} || memory[at_out + a + b] != {128{1'b1}} || tag != 7)
				failed = failed + 1;
			@(negedge clk);
			while (!idle) @(negedge clk);
		end
	endtask

	initial begin
		failed = 0;
		is_stalled = 0;
		last = 0;
		come_0 = 0;
		come_1 = 0;
		wrote = 0;
		cycles = 0;
		repeat (3) @(negedge clk);
		reset = 0;
		for (as = 0; as < 40; as = as + 1)
			for (bs = 0; bs < 40; bs = bs + 1)
				merge(as, bs);
		merge(600, 900);
		if (cycles > 1500 + 20) begin
			$display("merge: %0d cycles for 1500 items", cycles);
			failed = failed + 1;
		end
		is_stalled = 1;
		merge(200, 300);
		is_stalled = 1;
		merge(301, 200);
		$display("merge: %0d failed", failed);
		$finish;
	end
endmodule
