# A result object of Strata (docs/results.md) as lines NAME<TAB>VALUE. What lies in an object has that object's name
# before it: traffic_bytes.tx, stats.sm.load_hits. Of an array of objects there is the sum of each number, and under
# NAME.in_stacks that of the objects whose "stack" is a number; args is one line, and so is what --set gave on the
# command line (set). Other arrays are left out.
# Reads what Strata wrote: one thing per line, the first object of a file, or its object "run".

function add(name, value) {
	if (value ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/)
		sum[name] += value
}

{
	line = $0
	sub(/^ */, "", line)
	sub(/,$/, "", line)
	key = ""
	if (match(line, /^"[^"]*": ?/)) {
		key = substr(line, 2, index(substr(line, 2), "\"") - 1)
		line = substr(line, RLENGTH + 1)
	}
	if (line == "{" || line == "[") {
		depth++
		name[depth] = key
		kind[depth] = line
		if (line == "{" && kind[depth - 1] == "[")
			in_stack = 0
		next
	}
	if (line == "}" || line == "]") {
		if (line == "]" && depth == list)
			list = 0
		depth--
		next
	}
	if (line == "{}" || line == "[]")
		next
	path = ""
	list = 0
	for (i = 1; i <= depth; i++) {
		if (kind[i] == "[" && name[i] != "")
			list = i
		if (name[i] != "" && !(name[i] == "run" && i <= 2))
			path = path name[i] "."
	}
	gsub(/^"|"$/, "", line)
	if (!list)
		print path key "\t" line
	else if (path == "args.")
		args = args (args == "" ? "" : " ") line
	else if (path == "command_line.") {
		if (last_word == "--set")
			sets = sets (sets == "" ? "" : " ") line
		last_word = last_word == "--" ? "--" : line # what follows -- is the program's
	} else if (kind[depth] == "{" && depth == list + 1) {
		if (key == "stack")
			in_stack = line != "null"
		add(path key, line)
		if (in_stack)
			add(path "in_stacks." key, line)
	}
}

END {
	print "args\t" args
	print "set\t" sets
	for (i in sum)
		printf "%s\t%.0f\n", i, sum[i]
}
