-- find.vhd - an NDP that does FindMax, in VHDL: the largest of an array of floats of 32 bits, and where it is first. Both
-- ports read, a block of 8 each per cycle.
--
-- The message is that of clean.v: 0, the array's address, its floats; the reply's first word is the value (low half) and
-- the index. The array begins at a multiple of 32 bytes and has a multiple of 8 floats, none of which is not a number.
-- The design is findmax.v's, cycle by cycle. NDP thesis section 5.5.1.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

-- Every second block, from the first or the second on.
entity find_lane is
	generic (is_first : boolean);
	port (
		clk : in std_logic;
		start : in std_logic;
		address : in unsigned(63 downto 0); -- of the array
		blocks : in unsigned(31 downto 0);

		request_valid : out std_logic;
		request_ready : in std_logic;
		request_address : out unsigned(63 downto 0);
		answer_valid : in std_logic;
		answer : in std_logic_vector(255 downto 0);

		is_over : out std_logic;
		has_any : out std_logic;
		best : out unsigned(31 downto 0); -- ordered as unsigned integers are
		best_index : out unsigned(31 downto 0)
	);
end entity;

architecture rtl of find_lane is
	signal asked_address : unsigned(63 downto 0);
	signal asked_left, come_left, come_index : unsigned(31 downto 0);
	signal any : std_logic;
	signal largest, largest_index : unsigned(31 downto 0);
	signal block_best : unsigned(31 downto 0);
	signal block_index : unsigned(2 downto 0);

	-- Ordered as the floats are; both zeros are one.
	function ordered(x : std_logic_vector(31 downto 0)) return unsigned is
	begin
		if unsigned(x(30 downto 0)) = 0 then
			return x"80000000";
		elsif x(31) = '1' then
			return unsigned(not x);
		else
			return unsigned('1' & x(30 downto 0));
		end if;
	end function;
begin
	process (answer)
		variable most, candidate : unsigned(31 downto 0);
		variable index : unsigned(2 downto 0);
	begin
		most := ordered(answer(31 downto 0));
		index := (others => '0');
		for i in 1 to 7 loop
			candidate := ordered(answer(32 * i + 31 downto 32 * i));
			if candidate > most then
				most := candidate;
				index := to_unsigned(i, 3);
			end if;
		end loop;
		block_best <= most;
		block_index <= index;
	end process;

	request_valid <= '1' when asked_left /= 0 else '0';
	request_address <= asked_address;
	is_over <= '1' when come_left = 0 else '0';
	has_any <= any;
	best <= largest;
	best_index <= largest_index;

	process (clk)
		variable count, offset : unsigned(31 downto 0);
	begin
		if rising_edge(clk) then
			if start = '1' then
				if is_first then
					count := (blocks + 1) srl 1;
					offset := to_unsigned(0, 32);
				else
					count := blocks srl 1;
					offset := to_unsigned(8, 32);
				end if;
				asked_address <= address + (offset sll 2);
				asked_left <= count;
				come_left <= count;
				come_index <= offset;
				any <= '0';
			else
				if asked_left /= 0 and request_ready = '1' then
					asked_address <= asked_address + 64;
					asked_left <= asked_left - 1;
				end if;
				if answer_valid = '1' then
					come_left <= come_left - 1;
					come_index <= come_index + 16;
					if any = '0' or block_best > largest then
						any <= '1';
						largest <= block_best;
						largest_index <= come_index + block_index;
					end if;
				end if;
			end if;
		end if;
	end process;
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity ndp is
	port (
		clk, reset : in std_logic;
		message_valid : in std_logic;
		message_ready : out std_logic;
		message : in std_logic_vector(511 downto 0);
		reply_valid : out std_logic;
		reply_ready : in std_logic;
		reply : out std_logic_vector(511 downto 0);
		request_valid : out std_logic_vector(1 downto 0);
		request_ready : in std_logic_vector(1 downto 0);
		request_write : out std_logic_vector(1 downto 0);
		request_address_0, request_address_1 : out std_logic_vector(63 downto 0);
		request_bytes_0, request_bytes_1 : out std_logic_vector(5 downto 0);
		request_data_0, request_data_1 : out std_logic_vector(255 downto 0);
		answer_valid : in std_logic_vector(1 downto 0);
		answer_0, answer_1 : in std_logic_vector(255 downto 0);
		busy : out std_logic;
		error : out std_logic
	);
end entity;

architecture rtl of ndp is
	signal works, tells : std_logic;
	signal takes, done, second : std_logic;
	signal asks, comes, over, any : std_logic_vector(1 downto 0);
	signal address_0, address_1, address : unsigned(63 downto 0);
	signal blocks : unsigned(31 downto 0);
	signal best_0, best_1, best, index_0, index_1, index, value : unsigned(31 downto 0);
	signal told : std_logic_vector(63 downto 0);
begin
	takes <= message_valid and not works and not tells;
	address <= unsigned(message(127 downto 64));
	blocks <= unsigned(message(159 downto 128)) srl 3;
	comes <= answer_valid when works = '1' else "00";

	first_lane : entity work.find_lane
		generic map (is_first => true)
		port map (clk => clk, start => takes, address => address, blocks => blocks, request_valid => asks(0),
			request_ready => request_ready(0), request_address => address_0, answer_valid => comes(0),
			answer => answer_0, is_over => over(0), has_any => any(0), best => best_0, best_index => index_0);
	second_lane : entity work.find_lane
		generic map (is_first => false)
		port map (clk => clk, start => takes, address => address, blocks => blocks, request_valid => asks(1),
			request_ready => request_ready(1), request_address => address_1, answer_valid => comes(1),
			answer => answer_1, is_over => over(1), has_any => any(1), best => best_1, best_index => index_1);

	-- The first of two that are equal.
	second <= '1' when any(1) = '1' and
		(any(0) = '0' or best_1 > best_0 or (best_1 = best_0 and index_1 < index_0)) else '0';
	best <= best_1 when second = '1' else best_0;
	index <= index_1 when second = '1' else index_0;
	value <= '0' & best(30 downto 0) when best(31) = '1' else not best;
	done <= works and over(0) and over(1);

	message_ready <= not works and not tells;
	busy <= works or tells;
	reply_valid <= tells;
	reply <= (511 downto 64 => '0') & told;
	request_valid <= asks when works = '1' else "00";
	request_write <= "00";
	request_address_0 <= std_logic_vector(address_0);
	request_address_1 <= std_logic_vector(address_1);
	request_bytes_0 <= std_logic_vector(to_unsigned(32, 6));
	request_bytes_1 <= std_logic_vector(to_unsigned(32, 6));
	request_data_0 <= (others => '0');
	request_data_1 <= (others => '0');
	-- No such command, or floats that are no whole blocks.
	error <= '1' when takes = '1' and (unsigned(message(63 downto 0)) /= 0 or unsigned(message(68 downto 64)) /= 0 or
		unsigned(message(130 downto 128)) /= 0 or unsigned(message(159 downto 128)) = 0) else '0';

	process (clk)
	begin
		if rising_edge(clk) then
			if done = '1' then
				told <= std_logic_vector(index) & std_logic_vector(value);
			end if;
			if reset = '1' then
				works <= '0';
				tells <= '0';
			else
				works <= takes or (works and not done);
				tells <= done or (tells and not reply_ready);
			end if;
		end if;
	end process;
end architecture;
