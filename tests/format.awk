# format.awk - the layout of C that a script can check without deciding where lines break: spaces, braces, stars, blank
# lines. Prints FILE:LINE: what for each line that is otherwise.
function say(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }
FNR == 1 { blank = 0; in_comment = 0 }
{
	if ($0 == "" && blank) say("two blank lines")
	blank = $0 == ""
}
{
	code = $0
	if (in_comment) {
		if (!sub(/^.*\*\//, "", code)) next
		in_comment = 0
	}
	gsub(/\\./, "", code)           # escapes
	gsub(/"[^"]*"/, "\"\"", code)   # strings
	gsub(/'[^']'/, "''", code)
	while (match(code, /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//))
		code = substr(code, 1, RSTART - 1) " " substr(code, RSTART + RLENGTH)
	if (match(code, /\/\*/)) { in_comment = 1; code = substr(code, 1, RSTART - 1) }
}
code ~ /^\t*        / && code !~ /^[ \t]*\\$/ { say("indented with eight spaces: use a tab") }
code ~ /(^|[^[:alnum:]_])(if|for|while|switch)\(/ { say("a space belongs before '('") }
code ~ /(^|[^[:alnum:]_])(else|do)\{|^\t*(\} )?(else )?(if|for|while|switch) .*\)\{$/ { say("a space belongs before '{'") }
code ~ /\}(else|while)/ { say("a space belongs after '}'") }
code ~ /^\t*else/ && last ~ /^\t*\}$/ { say("'else' belongs beside '}'") }
code ~ /^[a-z].*\) \{$/ && code !~ /=/ { say("the '{' of a function belongs on its own line") }
code ~ /(char|void|int|_t|struct [a-z_]+)\* / { say("'*' belongs to the name") }
code ~ /,[^ \t\n\\]/ && code !~ /^#/ && code !~ /,\)|,$/ { say("a space belongs after ','") }
code ~ /;[^ \t);\\}]/ && code !~ /^#/ { say("a space belongs after ';'") }
code ~ /\/\// { say("comments are /* */") }
{ last = code }
