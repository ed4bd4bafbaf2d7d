# What came of a build or a run, from its output. Prints "VERDICT<tab>CLASS<tab>REASON".
# building=1: the output of a build that failed. Otherwise status: that of strata run; json: the file of its results,
# an object per process. The first line of a kind is the reason; among kinds the order of END decides.

BEGIN {
	while (json != "" && (getline line < json) > 0)
		if (line ~ /^  "[a-z_]+": /)
			result(line)
}
function result(line, key, value) { # what Strata says of a process
	sub(/^  "/, "", line)
	key = substr(line, 1, index(line, "\"") - 1)
	value = substr(line, index(line, ": ") + 2)
	sub(/,$/, "", value)
	if (key == "launches") {
		uses_driver = 1
		launches += value
	} else if (key == "launches_refused")
		refused += value
	else if (key == "fault" && value != "null" && value !~ /^"the process was killed/ && fault == "")
		fault = substr(value, 2, length(value) - 2)
	else if (key == "exit_status" && status == 1)
		status = value # 1 is also what strata makes of a program that ended well and is not verified
}

function first(kind, text) {
	if (!(kind in why)) {
		gsub(/[\t|\r]/, " ", text)
		gsub(/\033\[[0-9;]*[A-Za-z]/, "", text)
		gsub(/[^ -~]/, "", text)
		sub(/^ +/, "", text)
		why[kind] = substr(text, 1, 200)
	}
}
function answer(verdict, class, reason) {
	printf "%s\t%s\t%s\n", verdict, class, reason == "" ? "-" : reason
	answered = 1
	exit
}
function failed(class) {
	if (!answered && class in why)
		answer("failed", class == "refused later" ? "refused" : class == "inner" ? "scope" : class, why[class])
}

building && /fatal error: [^ ]+: No such|could not open source|cannot find -l|No rule to make target|NOTFOUND/ {
	first("library", $0)
}
building && /undefined reference to .*(mpi|MPI|gsl|cublas|cufft|nv)|command not found|No module named/ {
	first("library", $0)
}
building && /target was not found|not found - will not build|Could NOT find|required .*not found/ {
	first("library", $0)
}
building && /[Ee]rror|unresolved symbol/ && !(/^make|^collect2|mkoffload: fatal|lto-wrapper|-W[a-z]*error/) {
	first("compiler", $0)
}
building && /undefined reference/ { first("compiler", $0) }
building && /^make.*(Error|\*\*\*)/ { first("build", $0) }
building { next }

/^strata: cuGetExportTable/ { first("inner", $0) } # libraries of NVIDIA want it; which one says more
/^strata: .*(not supported|does not support|not modelled)/ && !/cuGetExportTable/ { first("unsupported", $0) }
/symbol lookup error.*undefined symbol: cu|required function "cu/ { first("unsupported", $0) }
/^strata: .*(cuBLAS|cuFFT|cuRAND|cuSPARSE|cuSOLVER|cuDNN|NCCL|NPP|nvJPEG|library of device code)/ { first("scope", $0) }
/internal error|^bug: / { first("strata", $0) }
/(object|ptx|PTX|image)[^ ]*( [0-9]+)?:[0-9]+(:[0-9]+)?: error: / { first("refused", $0) }
/^strata: error: .*(cannot be loaded|has errors)/ { first("refused later", $0) }
/^strata: .*is a cubin|LaunchOutOfResources|cudaErrorLaunchOutOf/ { first("refused", $0) }
/NVRTC_ERROR/ { first("nvrtc", $0) }
/^(strata: )?error: / && !/NVRTC_ERROR|sdkFindFilePath/ { first("refused", $0) }
/error while loading shared libraries/ { first("library", $0) }
/([Cc]annot|[Cc]ould not|[Cc]an't|[Ff]ailed to|[Ee]rror|able to) *(open|read|load|find|opening|reading|loading)/ {
	first("data", $0)
}
/sdkFindFilePath|No such file|[Ff]ile was not opened|import file|[Bb]ad file|file not found|[Dd]oes not exist/ { first("data", $0) }
/[Uu]sage ?:|[Uu]sage .*main/ { first("usage", $0) }
/X11|X server|DISPLAY|GLUT|freeglut|OpenGL|[Vv]ulkan|EGL|Direct3D/ { first("graphics", $0) }
/([Tt]wo|2|multiple|more than one|at least [2-9]).* (GPU|CUDA [Dd]evice|device)|peer|P2P/ && !/^strata: / {
	first("devices", $0)
}
/([Cc]ompute [Cc]apability|SM|sm_).*(or higher|required|[Rr]equires|minimum|at least)|requires.*(SM|sm_|compute|GPU)/ {
	first("newer", $0)
}
/[Ww]aiv(ed|ing)|(not|n't) support / && !/^strata: / { first("waived", $0) }
/CUDA error|cudaError|CUDA_ERROR|CUDA Runtime|code=[0-9]+|libgomp:/ { first("api", $0) }

# How programs say that they checked themselves: bad unless what was counted is none.
{
	line = tolower($0)
	if (line ~ /^(strata|[^ ]+ on [^ ]+):|cudaerror|cuda error/)
		next
	if (line ~ /%\) of bytes mismatched/) # NVIDIA's helper counts; whether that is too many, the next lines say
		next
	none = line ~ /(^|[^0-9])0 (failed|failures?|mismatch|wrong|errors|incorrect)|no (mismatch|failure|errors)/ ||
		line ~ /(failed|failures?|mismatch(es)?|wrong|incorrect|errors)[a-z ]*[:=] *(0|none|no)([^.0-9]|$)/
	if (line ~ /(^|[^a-z])fail(ed|ure|s)?([^a-z]|$)|incorrect|mismatch|not (match|correct|passed)|invalid result|wrong/) {
		if (!none)
			first("wrong", $0)
	} else if (line ~ /(^|[^a-z])(pass(ed|es)?|success(ful|fully)?|succeeded|correct|verified|ok|identical)([^a-z]|$)/ ||
		none || line ~ /results? (do )?match|outputs? match|validated/)
		first("passed", $0)
}

END {
	if (answered)
		exit
	if (building) {
		failed("library")
		failed("compiler")
		failed("build")
		answer("failed", "build", "no program came of it: not for this system, or not within the limit")
	}
	if (status == 124 || status == 137 || status == 152)
		answer("failed", "slow", status == 152 ? "limit of CPU time" : "limit of time")
	if (status == 153)
		answer("failed", "flood", "more than 256 MiB of output")
	if (fault != "")
		answer("failed", "fault", fault)
	if (status == 0 && !refused && !("wrong" in why)) {
		if ("passed" in why)
			answer(launches ? "verified" : "weak", "-", launches ? why["passed"] : "it launches nothing")
		if (launches)
			answer("weak", "-", "it checks nothing")
	}
	n = split("strata,library,nvrtc,scope,refused,unsupported,refused later,inner,newer,devices,graphics,waived,data,usage",
		order, ",")
	for (i = 1; i <= n; i++)
		failed(order[i])
	if (refused)
		answer("failed", "refused", refused " of " launches " launches")
	if (status == 0 && !launches)
		answer("failed", "host", uses_driver ? "no kernel was launched" : "it did not use the driver")
	failed("wrong")
	failed("api")
	if (status == 125)
		answer("failed", "strata", "exit status 125")
	answer("failed", status > 128 && status < 160 ? "signal" : "status", "exit status " status)
}
