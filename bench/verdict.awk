# verdict.awk - docs/verdict.md from docs/measured/verdicts/. Variables: stored, that folder; headlines, papers/headlines.csv;
# papers, the folder of the papers. A headline without a row ends it with status 1.

# split_line(line, field): the fields of a line of a CSV file, with quotes undone; returns how many.
function split_line(line, field,   n, at, c, is_quoted) {
	n = 1
	field[1] = ""
	for (at = 1; at <= length(line); at++) {
		c = substr(line, at, 1)
		if (c == "\"" && is_quoted && substr(line, at + 1, 1) == "\"") {
			field[n] = field[n] c
			at++
		} else if (c == "\"") {
			is_quoted = !is_quoted
		} else if (c == "," && !is_quoted) {
			field[++n] = ""
		} else {
			field[n] = field[n] c
		}
	}
	return n
}

function read_table(paper, run, file,   line, f) {
	while ((getline line < file) > 0) {
		split_line(line, f)
		if (f[1] == "id")
			continue
		quantity[paper, run, f[1]] = f[2]
		published[paper, run, f[1]] = f[3] " " f[6]
		measured[paper, run, f[1]] = f[4] == "" ? "-" : f[4] (f[5] == "" ? "" : " ± " f[5]) " " f[6]
		status[paper, run, f[1]] = f[8]
		closed[paper, run, f[1]] = f[9]
		note[paper, run, f[1]] = f[10]
		count[paper, run, f[8]]++
	}
	close(file)
}

function counts(paper, run,   i, text, sum) {
	for (i = 1; i <= judged_count; i++)
		sum += count[paper, run, judged[i]]
	text = sum + 0
	for (i = 1; i <= judged_count; i++)
		text = text " | " count[paper, run, judged[i]] + 0
	return text " | " count[paper, run, "input"] + 0
}

function read_titles(   line, f) {
	while ((getline line < (papers "/titles.csv")) > 0) {
		split_line(line, f)
		title[f[1]] = f[2]
		titles[++title_count] = f[1]
	}
}

BEGIN {
	judged_count = split("pass explained open contradicted fail absent", judged, " ")
	read_titles()
	while ((getline line < (stored "/runs.csv")) > 0) {
		split_line(line, f)
		if (f[1] == "paper")
			continue
		runs[f[1]] = runs[f[1]] (runs[f[1]] == "" ? "" : " ") f[2]
		commit[f[1], f[2]] = f[3]
		read_table(f[1], f[2], stored "/" f[1] "-" f[2] ".csv")
	}
	for (p = 1; p <= title_count; p++)
		if (titles[p] in runs)
			order[++paper_count] = titles[p]
		else
			missing = missing (missing == "" ? "" : ", ") "`" titles[p] "`"
	print "# Verdicts"
	print ""
	print "What the papers say, what Strata says, and what decides where they differ. Written by `bench/verdict` from the tables"
	print "that `strata reproduce` left, each at the commit beside it; [statuses and their rules](reproduce.md#how-numbers-are-compared)."
	print "Full runs have the papers' inputs and judge; sampled ones have them too, with times that are estimates; quick ones have"
	print "inputs of seconds."
	if (missing != "")
		print "Of these no table is kept yet, so that nothing is said here of them: " missing "."
	print ""
	print "| paper | runs | commit | rows that a run decides | pass | explained | open | contradicted | fail | absent | inputs |"
	print "|---|---|---|---|---|---|---|---|---|---|---|"
	for (p = 1; p <= paper_count; p++) {
		n = split(runs[order[p]], r, " ")
		for (i = 1; i <= n; i++)
			print "| [" title[order[p]] "](#" order[p] ") | " r[i] " | `" commit[order[p], r[i]] "` | " counts(order[p], r[i]) " |"
	}
	while ((getline line < headlines) > 0) {
		split_line(line, f)
		if (f[1] != "paper")
			headline[f[1]] = headline[f[1]] (headline[f[1]] == "" ? "" : " ") f[2]
	}
	for (p = 1; p <= paper_count; p++) {
		paper = order[p]
		print ""
		print "## " paper
		print ""
		print title[paper] ". All rows: `strata reproduce " paper "`."
		print ""
		print "| | headline | paper | Strata | runs | verdict |"
		print "|---|---|---|---|---|---|"
		words = ""
		n = split(headline[paper], id, " ")
		for (k = 1; k <= n; k++) {
			m = split(runs[paper], r, " ")
			for (i = 1; i <= m; i++) {
				key = paper SUBSEP r[i] SUBSEP id[k]
				if (!(key in status)) {
					print "bench/verdict: " id[k] ": no row of " paper "-" r[i] ".csv" >"/dev/stderr"
					exit 1
				}
				text = status[key] (closed[key] == "" ? "" : sprintf(", %.0f %% closed", 100 * closed[key]))
				print "| " id[k] " | " quantity[key] " | " published[key] " | " measured[key] " | " r[i] " | " text " |"
				if (note[key] != "")
					words = words "\n- **" id[k] "**, " r[i] ": " note[key]
			}
		}
		if (words != "")
			print words
	}
}
