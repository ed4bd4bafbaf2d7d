# Smaller arguments: reads a command line, prints it with smaller whole numbers; a power of two stays one.
# level=repeats: the last number only, which most programs take as the number of repetitions.
# level=small: also those above 512; level=tiny: those once more.

function smaller(n) {
	if (is_power_of_two(n) && n >= 256)
		return n / 16
	return n >= 200 ? int(n / 100) : 1
}
function is_power_of_two(n) {
	while (n > 1 && n % 2 == 0)
		n /= 2
	return n == 1
}
function is_number(word) {
	return word ~ /^[1-9][0-9]*$/ && length(word) < 10
}
function smaller_size(n) {
	return smaller(n) < 32 ? 32 : smaller(n)
}

{
	for (i = NF; i > 1 && !is_number($i); i--)
		;
	if (i > 1)
		$i = smaller($i)
	if (level != "repeats")
		while (--i > 1)
			if (is_number($i) && $i > 512)
				$i = smaller_size($i)
	if (level == "tiny")
		for (i = 2; i <= NF; i++)
			if (is_number($i) && $i > 64)
				$i = smaller_size($i)
	print
}
