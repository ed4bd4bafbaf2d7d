# Sourced by bench/real: where a suite's programs are, how they are built, and how they are run.
# Each layout_* function chooses by $layout: samples (Samples/*/NAME, a CMake project each) or pairs (src/NAME-cuda and
# src/NAME-omp, a make file each).

layout_of() { # SUITE_DIR
	if compgen -G "$1/Samples/*/*/CMakeLists.txt" >/dev/null; then
		echo samples
	elif compgen -G "$1/src/*-cuda/Makefile" >/dev/null || compgen -G "$1/src/*-omp/Makefile" >/dev/null; then
		echo pairs
	else
		return 1
	fi
}

layout_names() {
	local file name
	if [ $layout = samples ]; then
		grep -l add_executable -r --include=CMakeLists.txt "$suite/Samples" |
			while read -r file; do basename "$(dirname "$file")"; done
		return
	fi
	for file in "$suite"/src/*-cuda/Makefile "$suite"/src/*-omp/Makefile; do
		[ -f "$file" ] || continue
		name=$(basename "$(dirname "$file")")
		[ "$variant" = all ] || [ "$variant" = "${name##*-}" ] || continue
		echo "$name"
	done
}

# What the suite's make files call: each leaves out what names another GPU or another compiler's offloading, and says
# what Strata needs instead. Optimisation of the host's side costs time and says nothing.
write_compilers() {
	local real_nvcc name
	mkdir -p "$out/compilers"
	real_nvcc=$(command -v nvcc || echo nvcc)
	cat >"$out/compilers/nvcc" <<END
#!/usr/bin/env bash
args=()
while [ \$# -gt 0 ]; do
	case \$1 in
	-gencode | --generate-code | -arch | --gpu-architecture | -code | --gpu-code | -cudart | --cudart) shift ;;
	-gencode=* | --generate-code=* | -arch=* | --gpu-architecture=* | -code=* | --gpu-code=*) ;;
	-cudart=* | --cudart=*) ;;
	-O2 | -O3 | -Ofast) args+=(-O1) ;;
	*) args+=("\$1") ;;
	esac
	shift
done
exec $(printf %q "$real_nvcc") "\${args[@]}" -arch=$arch -cudart shared
END
	for name in g++:icpx g++:clang++ g++:nvc++ gcc:icx gcc:clang gcc:nvc; do
		cat >"$out/compilers/${name#*:}" <<END
#!/usr/bin/env bash
args=()
while [ \$# -gt 0 ]; do
	case \$1 in
	-target | -Xopenmp-target* | -Xopenmp-target-backend | -mllvm) shift ;;
	-fiopenmp | -fopenmp | -q* | -fopenmp-targets=* | -march=* | -mp=* | -gpu=* | -Minfo* | -mp) ;;
	-O2 | -O3 | -Ofast) args+=(-O1) ;;
	*) args+=("\$1") ;;
	esac
	shift
done
exec ${name%:*} -no-pie -fopenmp -foffload=nvptx-none \\
	"-foffload-options=nvptx-none=-lm -latomic -Wa,--no-verify" "\${args[@]}" -lm
END
	done
	chmod +x "$out"/compilers/*
}

# pairs: a tree of links to the suite, where each program's own folder becomes a copy before it is built, so that
# ../OTHER/file finds its file and the suite stays as it is. samples: CMake builds outside of the suite by itself.
layout_prepare() {
	local entry
	[ $layout = pairs ] || return 0
	mkdir -p "$out/tree/src"
	for entry in "$suite"/* "$suite"/src/*; do
		[ "$entry" = "$suite/src" ] || [ -e "$out/tree${entry#"$suite"}" ] || ln -s "$entry" "$out/tree${entry#"$suite"}"
	done
}

layout_folder() { # NAME: where it is built and run
	if [ $layout = pairs ]; then
		echo "$out/tree/src/$1"
	else
		echo "$out/tree/$1"
	fi
}

sample_source() { # NAME
	find "$suite/Samples" -mindepth 2 -maxdepth 4 -type d -name "$1" -exec test -f '{}/CMakeLists.txt' ';' -print -quit
}

# A sample alone, so that a library which another one lacks does not matter; or what it is a part of.
build_sample() { # NAME FOLDER
	local source
	source=$(sample_source "$1")
	grep -qi '^project' "$source/CMakeLists.txt" || source=$(dirname "$source")
	cmake -S "$source" -B "$2" -DCMAKE_CUDA_COMPILER="$out/compilers/nvcc" -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_C_FLAGS=-O1 &&
		cmake --build "$2" || return
	[ ! -d "$source/data" ] || cp -a -n "$source/data" "$2"
}

layout_build() { # NAME LOG
	local folder
	folder=$(layout_folder "$1")
	if [ $layout = samples ]; then
		export -f build_sample sample_source
		export out suite
		PATH=$out/compilers:$PATH confined "$2" "$build_limit" "$build_limit" bash -c 'build_sample "$@"' - "$1" "$folder"
		return
	fi
	if [ -L "$folder" ]; then
		rm "$folder"
		cp -a "$suite/src/$1" "$folder" || return
	fi
	PATH=$out/compilers:$PATH NVCC_APPEND_FLAGS="-cudart shared" \
		confined "$2" "$build_limit" "$build_limit" make -C "$folder" "ARCH=$arch"
}

layout_program() { # NAME: the program as its run line calls it; nothing where none was built
	local folder line list target
	folder=$(layout_folder "$1")
	if [ $layout = pairs ]; then
		line=$(layout_command "$1")
		echo "${line%% *}"
		return
	fi
	list=$(sample_source "$1")/CMakeLists.txt
	for target in "$1" "$1/$1" $(sed -n 's/^ *add_executable(\([A-Za-z0-9_]*\).*/\1/p' "$list"); do
		[ -f "$folder/$target" ] && [ -x "$folder/$target" ] && echo "./$target" && return
	done
}

# samples: the arguments of the suite's list for its own tests, which is JSON with a string per line.
# pairs: the first line of the run target, without what comes before the program.
layout_command() { # NAME
	local folder
	folder=$(layout_folder "$1")
	if [ $layout = samples ]; then
		echo "$(layout_program "$1") $(awk -v name="\"$1\":" '
			$1 == name { here = 1 }
			here && /^    }/ { exit }
			here && /"args"/ { listing = 1; next }
			listing && /]/ { exit }
			listing { gsub(/^ *"|",? *$/, ""); printf "%s ", $0 }' "$suite/test_args.json" 2>/dev/null)"
		return
	fi
	PATH=$out/compilers:$PATH make -s -n -C "$folder" run LAUNCHER=LAUNCH_HERE "ARCH=$arch" 2>/dev/null |
		awk '{ sub(/^.*LAUNCH_HERE/, ""); sub(/^[ \t]+/, "") } $1 ~ /\// && !/^(g|nv)cc|^make/ { print; exit }'
}
