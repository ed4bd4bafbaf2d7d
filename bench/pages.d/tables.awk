# Writes the tables of a page anew from stored results; all else stays. Before a table stands what it shows, in a comment:
#
#   <!-- table comparison                        docs/measured/comparison.csv
#   corner workload and arguments                the heading of the first column
#   rows workloads                               one per workload of the file, named as it is called
#   column TOM | show=gain of=tom over=baseline
#   row geometric mean | workload=mean
#   -->
#
# and behind it <!-- end -->. Rows and columns: `row NAME | SPEC`, `column NAME | SPEC`; `rows` or `columns` with
# `workloads` (program and arguments), `programs` (the same, the program's name only) or `runs N` (the last N values of
# the file's column `as`). A line `ending -omp` before them: what runs a program with this ending stands for the program
# without it. A cell takes what the row says, and what it does not say from the column:
#
#   show=MEASURE      of docs/measured/measures
#   error=MEASURE     half of its 95 % interval, behind it, where the run has one
#   of=AS over=AS     the runs, by the file's column `as`
#   workload=NAME     a program, or mean: over those of the file
#   not=NAME,NAME     programs that a mean leaves out
#   for=NAME:OTHER,.. of these programs the run of another, for machines that run other programs; of - nothing
#   none=TEXT         what a cell of nothing says, _ for a space (-)
#   style=bold
#   text=A;B;C        no measure: what the cells hold, in their order
#
# Variables: folder (of docs/measured). Errors go to standard error; exit status 1.

function fail(text) {
	print (FILENAME == "" ? "" : FILENAME ": ") text >"/dev/stderr"
	failed = 1
	exit 1
}

# A value of a run; of one that lacks the field, and of no run, nothing can be made.
function field(run, name) {
	if (!((run, name) in got) || got[run, name] == "")
		lacks = 1
	return got[run, name] + 0
}

# What a value is divided by; by nothing nothing can be divided.
function divisor(v) {
	if (v == 0)
		lacks = 1
	return v == 0 ? 1 : v
}

function load(file,   line, n, i, cell, key, names) {
	file_of_table = file
	delete got
	delete workload_of
	delete is_workload
	delete as_of
	delete is_as
	delete is_commit
	workloads = as_count = 0
	commits = ""
	if ((getline line <(folder "/" file ".csv")) <= 0)
		fail("cannot read " folder "/" file ".csv")
	names = split(line, name_of, ",")
	while ((getline line <(folder "/" file ".csv")) > 0) {
		n = split(line, cell, ",")
		if (n != names)
			fail(file ".csv: a row of " n " fields, expected " names ": " cell[1])
		split(cell[4], words, " ")
		if (ending != "")
			sub(ending "$", "", words[1])
		key = cell[1] SUBSEP words[1]
		if (!(words[1] in is_workload)) {
			is_workload[words[1]] = cell[4]
			workload_of[++workloads] = words[1]
		}
		if (!(cell[1] in is_as)) {
			is_as[cell[1]] = 1
			as_of[++as_count] = cell[1]
		}
		for (i = 5; i <= n; i++)
			got[key, name_of[i]] = cell[i]
		if (name_of[2] == "machine" && got[key, "verified"] != "true")
			fail(file ".csv: " cell[1] " " cell[4] " is not verified")
		if (!(got[key, "source_commit"] in is_commit)) {
			is_commit[got[key, "source_commit"]] = 1
			commits = commits (commits == "" ? "" : ", ") "`" substr(got[key, "source_commit"], 1, 7) "`"
		}
	}
	close(folder "/" file ".csv")
}

function option(spec, name,   at, rest) {
	at = index(" " spec, " " name "=")
	if (!at)
		return ""
	rest = substr(spec, at + length(name) + 1)
	if (name != "text")
		sub(/ .*/, "", rest)
	return rest
}

function choose(row, column, name,   v) {
	v = option(row, name)
	return v != "" ? v : option(column, name)
}

# The program that a cell takes instead.
function instead(list, workload,   i, n, pair, pairs) {
	n = split(list, pairs, ",")
	for (i = 1; i <= n; i++) {
		split(pairs[i], pair, ":")
		if (pair[1] == workload)
			return pair[2]
	}
	return workload
}

function number(m, of, over, workload) {
	if (!((of, workload, name_of[5]) in got))
		fail(file_of_table ".csv has no run " of " of " workload)
	if (over != "" && !((over, workload, name_of[5]) in got))
		fail(file_of_table ".csv has no run " over " of " workload)
	return value(m, of SUBSEP workload, over SUBSEP workload)
}

function mean(m, of, over, without,   i, n, sum, v) {
	if (mean_of[m] == "none") {
		lacks = 1
		return 0
	}
	for (i = 1; i <= workloads; i++) {
		if (index("," without ",", "," workload_of[i] ","))
			continue
		v = number(m, of, over, workload_of[i])
		if (mean_of[m] == "geometric" && v <= 0)
			fail("no geometric mean: " m " of " of " is " v " in " workload_of[i])
		sum += mean_of[m] == "geometric" ? log(v) : v
		n++
	}
	return mean_of[m] == "geometric" ? exp(sum / n) : sum / n
}

function nothing(row, column,   text) {
	text = choose(row, column, "none")
	gsub(/_/, " ", text)
	return text == "" ? "-" : text
}

# " +- 1.2", or nothing: of a run that was timed in full the error is null, and so 0.
function error_of(row, column, of, over, workload,   m, v) {
	m = choose(row, column, "error")
	if (m == "")
		return ""
	if (!(m in format))
		fail("no such measure: " m)
	lacks = 0
	v = number(m, of, over, workload)
	return lacks || v <= 0 ? "" : " ± " sprintf(format[m], v)
}

function cell(row, column, place,   m, of, over, workload, v, text, list) {
	text = choose(row, column, "text")
	if (text != "") {
		split(text, list, ";")
		text = list[place]
	} else {
		m = choose(row, column, "show")
		of = choose(row, column, "of")
		over = choose(row, column, "over")
		workload = choose(row, column, "workload")
		if (m == "" || of == "" || workload == "")
			fail("a cell of " file_of_table " lacks show, of or workload: " row "; " column)
		if (!(m in format))
			fail("no such measure: " m)
		workload = instead(choose(row, column, "for"), workload)
		if (workload == "-")
			return nothing(row, column)
		lacks = 0
		v = workload == "mean" ? mean(m, of, over, choose(row, column, "not")) : number(m, of, over, workload)
		if (lacks)
			return ""
		if (shown[m] == "percent")
			v *= 100
		else if (shown[m] == "change")
			v = 100 * (v - 1)
		text = sprintf(format[m], v)
		if (text ~ /^[-+]0(\.0+)?( |$)/)
			sub(/^[-+]/, "", text)
		if (workload != "mean")
			text = text error_of(row, column, of, over, workload)
	}
	return choose(row, column, "style") == "bold" && text != "" ? "**" text "**" : text
}

function add(is_row, heading, spec) {
	if (is_row) {
		row_heading[++row_count] = heading
		row_spec[row_count] = spec
	} else {
		column_heading[++column_count] = heading
		column_spec[column_count] = spec
	}
}

function add_many(is_row, what, least,   i) {
	if (what == "workloads" || what == "programs")
		for (i = 1; i <= workloads; i++)
			add(is_row, "`" (what == "programs" ? workload_of[i] : is_workload[workload_of[i]]) "`",
				"workload=" workload_of[i])
	else if (what == "runs")
		for (i = as_count > least ? as_count - least + 1 : 1; i <= as_count; i++)
			add(is_row, as_of[i], "of=" as_of[i])
	else
		fail("rows and columns are workloads, programs or runs, not " what)
}

function print_table(   i, j, line, rule) {
	line = "| " corner (corner == "" ? "|" : " |")
	rule = "|---|"
	for (j = 1; j <= column_count; j++) {
		line = line " " column_heading[j] " |"
		rule = rule "---|"
	}
	print line
	print rule
	for (i = 1; i <= row_count; i++) {
		line = "| " row_heading[i] " |"
		for (j = 1; j <= column_count; j++) {
			text = cell(row_spec[i], column_spec[j], row_spec[i] ~ /text=/ ? j : i)
			line = line " " text (text == "" ? "|" : " |")
		}
		print line
	}
	print ""
	print "From [measured/" file_of_table ".csv](measured/" file_of_table ".csv), measured at commit " commits "."
}

/^<!-- table / {
	ending = ""
	load($3)
	row_count = column_count = 0
	corner = ""
	inside = 1
	print
	next
}

inside == 1 {
	print
	bar = index($0, " | ")
	spec = bar ? substr($0, bar + 3) : ""
	text = bar ? substr($0, 1, bar - 1) : $0
	word = $1
	sub(/^[a-z]+ */, "", text)
	if ($0 == "-->") {
		print_table()
		inside = 2
	} else if (word == "corner")
		corner = text
	else if (word == "ending") {
		ending = text
		load(file_of_table)
	} else if (word == "row" || word == "column")
		add(word == "row", text, spec)
	else if (word == "rows" || word == "columns")
		add_many(word == "rows", $2, $3)
	else
		fail("a table knows corner, ending, row, column, rows and columns, not: " $0)
	next
}

inside == 2 {
	if ($0 == "<!-- end -->") {
		inside = 0
		print
	}
	next
}

{ print }

END {
	if (!failed && inside) {
		print FILENAME ": a table has no <!-- end -->" >"/dev/stderr"
		failed = 1
	}
	exit failed
}
