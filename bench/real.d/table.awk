# From one result per line: the CSV (to the file csv) and a Markdown page for the suite.
# reasons: a file of "NAME CLASS TEXT" lines, found by hand; they replace what the output of the program said.

BEGIN {
	FS = "\t"
	while ((getline line < reasons) > 0) {
		n = index(line, " ")
		name = substr(line, 1, n - 1)
		line = substr(line, n + 1)
		n = index(line, " ")
		by_hand[name] = substr(line, 1, n - 1)
		text[name] = substr(line, n + 1)
	}
	print "program,verdict,class,reason,build_s,run_s,command,version,machine,mode,date" > csv
}

function quoted(s) {
	gsub(/"/, "\"\"", s)
	return "\"" s "\""
}

{
	if ($1 in by_hand && $2 == "failed") {
		$3 = by_hand[$1]
		$4 = text[$1]
	}
	row = quoted($1)
	for (i = 2; i <= 11; i++)
		row = row "," quoted($i)
	print row > csv
	programs++
	count[$2]++
	if ($2 != "failed")
		names[$2] = names[$2] ($2 in names && names[$2] != "" ? ", " : "") $1
	else {
		class_count[$3]++
		rows[$3] = rows[$3] "| " $1 " | " $4 " |\n"
	}
	if (first_day == "" || $11 < first_day) first_day = $11
	if ($11 > last_day) last_day = $11
	if (!($8 in versions)) {
		versions[$8] = 1
		version_list = version_list (version_list == "" ? "" : ", ") $8
	}
	machines = index(machines, $9 " in mode " $10) ? machines : machines (machines == "" ? "" : ", ") $9 " in mode " $10
}

END {
	printf "# %s: what came of each program\n\n", suite
	printf "Written by `bench/real %s --tables`; [what the words mean](../real-programs.md). ", suite
	printf "Machine: %s. Commits of Strata: %s.\n\n", machines, version_list
	printf "%d of %d programs were run, %s to %s:\n**%d verified, %d weak, %d failed**.\n\n", programs, total,
		first_day, last_day, count["verified"], count["weak"], count["failed"]
	print "| class of failure | programs |\n|---|--:|"
	n = 0
	for (c in class_count)
		order[++n] = c
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && (class_count[order[j]] > class_count[order[j - 1]] ||
			class_count[order[j]] == class_count[order[j - 1]] && order[j] < order[j - 1]); j--) {
			t = order[j]
			order[j] = order[j - 1]
			order[j - 1] = t
		}
	for (i = 1; i <= n; i++)
		printf "| %s | %d |\n", order[i], class_count[order[i]]
	printf "\n## Verified\n\n%s\n\n## Weak\n\n%s\n", names["verified"], names["weak"]
	for (i = 1; i <= n; i++)
		printf "\n## Failed: %s\n\n| program | reason |\n|---|---|\n%s", order[i], rows[order[i]]
}
