# Headers, one behind the other, as a string of C without their #include lines; what bare.h stands for is left out.
BEGIN {
	print "/* Made by embed.awk. */"
	print "extern const char simt_native_common[];"
	print "const char simt_native_common[] ="
}
/^#include/ { next }
{
	gsub(/\\/, "\\\\&")
	gsub(/"/, "\\\"")
	print "\"" $0 "\\n\""
}
END { print ";" }
