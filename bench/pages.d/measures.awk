# Makes docs/measured/measures a program: a function for each value, of the runs r and o, and rows about it.
BEGIN {
	FS = "   *"
}

# The end of what is divided by: a number, a name or what stands in parentheses.
function close_divisor(is_end) {
	if (!is_end || !divisors || divisor[divisors] != depth + 1)
		return ""
	divisors--
	return ")"
}

/^#/ || NF == 0 { next }

NF != 5 {
	printf "BEGIN { fail(\"measures: %s: expected name, mean, shown, format and value\") }\n", $1
	next
}

{
	text = $5
	code = ""
	depth = divisors = 0
	while (text != "") {
		if (match(text, /^[-+*\/() ]/)) {
			token = substr(text, 1, 1)
			depth += (token == "(") - (token == ")")
			code = code token close_divisor(token == ")")
			if (token == "/") {
				code = code " divisor("
				divisor[++divisors] = depth + 1
			}
		} else if (match(text, /^[0-9]+\.?[0-9]*(e[0-9]+)?/))
			code = code substr(text, 1, RLENGTH) close_divisor(1)
		else if (match(text, /^[a-z_][A-Za-z0-9_.]*/)) {
			field = substr(text, 1, RLENGTH)
			run = sub(/^over\./, "", field) ? "o" : "r"
			code = code "field(" run ", \"" field "\")" close_divisor(1)
			match(text, /^[a-z_][A-Za-z0-9_.]*/)
		} else {
			printf "BEGIN { fail(\"measures: %s: cannot read from: %s\") }\n", $1, text
			next
		}
		text = substr(text, RLENGTH + 1)
	}
	printf "function value_%s(r, o) { return %s }\n", $1, code
	printf "BEGIN { mean_of[\"%s\"] = \"%s\"; shown[\"%s\"] = \"%s\"; format[\"%s\"] = \"%s\" }\n", $1, $2, $1, $3, $1, $4
	calls = calls "\tif (m == \"" $1 "\") return value_" $1 "(r, o)\n"
}

END {
	printf "function value(m, r, o) {\n%s\tfail(\"no such measure: \" m)\n}\n", calls
}
