# circles.awk - circles of files in each folder of src/: its sources, one a line, then what `nm -A` says of objects.
function most_of(folder) { return folder == "src/ptx" ? 20 : 6 }

# Tarjan's walk: low[file] is the first file that it leads back to; the files of a circle lie on the stack above that.
function visit(file,   i, count, to, next_files) {
	index_of[file] = low[file] = ++visited
	stack[++depth] = file
	is_open[file] = 1
	count = split(needs[file], next_files, " ")
	for (i = 1; i <= count; i++) {
		to = next_files[i]
		if (!(to in index_of)) {
			visit(to)
			if (low[to] < low[file])
				low[file] = low[to]
		} else if (is_open[to] && index_of[to] < low[file])
			low[file] = index_of[to]
	}
	if (low[file] == index_of[file])
		close_circle(file)
}
function close_circle(first,   file, size, names, folder) {
	folder = folder_of[first]
	do {
		file = stack[depth--]
		is_open[file] = 0
		circle_of[file] = first
		names = names " " substr(file, length(folder) + 2)
		size++
	} while (file != first)
	if (size > most_of(folder))
		is_found = 1
	if (size > 1 && (mode == "--all" || size > most_of(folder)))
		printf "%s: a circle of %d files, at most %d:%s\n", folder, size, most_of(folder), names
}

NR == FNR {
	split($0, part, "/")
	folder_of[$0] = part[1] "/" part[2]
	sources[++source_count] = $0
	# An object is named by its source's path from the folder whose meson.build lists it, which may be any above.
	folder = folder_of[$0]
	name = substr($0, length(folder) + 2)
	do {
		object = name
		gsub("/", "_", object)
		source_of[folder, object ".o"] = $0
		slash = index(name, "/")
		folder = folder "/" substr(name, 1, slash - 1)
		name = substr(name, slash + 1)
	} while (slash)
	next
}
{
	path = substr($0, 1, index($0, ":") - 1)
	if (path != path_before) {
		path_before = path
		object = folder = path
		sub(/.*\//, "", object)
		sub(/\/[^\/]*\/[^\/]*$/, "", folder)
		file = source_of[folder, object]
	}
	if (file == "")
		next # it is generated
	if ($(NF - 1) == "U")
		asked[++ask_count] = file SUBSEP $NF
	else if ($(NF - 1) ~ /^[A-Z]$/ && !((folder_of[file], $NF) in giver_of))
		giver_of[folder_of[file], $NF] = file
}
END {
	for (i = 1; i <= ask_count; i++) {
		split(asked[i], ask, SUBSEP)
		to = giver_of[folder_of[ask[1]], ask[2]]
		if (to == "" || to == ask[1])
			continue
		if (!((ask[1], to) in arrow))
			needs[ask[1]] = needs[ask[1]] " " to
		arrow[ask[1], to] = arrow[ask[1], to] " " ask[2]
	}
	for (i = 1; i <= source_count; i++)
		if (!(sources[i] in index_of))
			visit(sources[i])
	for (pair in arrow) {
		split(pair, ends, SUBSEP)
		if (mode == "--all" && circle_of[ends[1]] == circle_of[ends[2]])
			print ends[1], ends[2] ":" arrow[pair] | "LC_ALL=C sort"
	}
	exit is_found
}
