# setup.bash - what quickstart and test have in common: packages and build. Sourced, in the repository's root.

strata_build_packages=(meson ninja-build gcc pkg-config libc6-dev libglib2.0-dev libyaml-dev libsqlite3-dev libjansson-dev
	liblz4-dev libzstd-dev)

# What builds programs: clang those of threads (`strata cc`, with newlib's mathematics) and of the CUDA runtime, GCC's offload
# compiler OpenACC's.
strata_program_packages=(clang-16 llvm-16-dev g++ newlib-source gcc-12-offload-nvptx libgomp-plugin-nvptx1)

# Prints those of the packages that are not installed.
strata_missing() {
	local package
	for package in "$@"; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || echo "$package"
	done
}

strata_install() {
	local as_root=()
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "setup: not root and no sudo: install these packages and try again: $*" >&2
			exit 2
		fi
		as_root=(sudo)
	fi
	echo "setup: installing Debian packages: $*"
	if ! "${as_root[@]}" apt-get update -q ||
		! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"; then
		echo "setup: apt-get could not install the packages, see above (network? package sources?): $*" >&2
		exit 2
	fi
}

# strata_setup PACKAGE...: makes sure that the packages are there.
strata_setup() {
	local missing
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "setup: this is no Debian; expecting what these packages hold: $*"
		return
	fi
	missing=$(strata_missing "$@")
	if [ -z "$missing" ]; then
		echo "setup: all packages are there"
		return
	fi
	# shellcheck disable=SC2086 # a list of words
	strata_install $missing
}

# Prints which of the tools that decide what is built are there.
strata_tools() {
	local tool
	for tool in clang-16 llvm-config-16 g++ gcc-12 x86_64-linux-gnu-accel-nvptx-none-gcc-12 nvcc qemu-x86_64 verilator; do
		! command -v "$tool" || true
	done
	ls /usr/src/newlib/newlib-*.tar.* 2>/dev/null || true
}

# strata_build [MESON OPTION...]: configures (an existing build keeps its options, unless -Dtests=true is asked for, and
# looks for tools anew when one has come or gone) and builds in build/.
strata_build() {
	echo "setup: building in build/"
	if [ ! -f build/build.ninja ]; then
		strata_quietly meson setup build "$@"
	else
		[[ " $* " != *" -Dtests=true "* ]] || strata_quietly meson configure build -Dtests=true
		[ "$(strata_tools)" = "$(cat build/tools.txt 2>/dev/null)" ] || strata_quietly meson setup --reconfigure build
	fi
	strata_tools >build/tools.txt
	ninja -C build
}

# Runs a command; its output is shown only when it fails.
strata_quietly() {
	local output
	output=$("$@" 2>&1) || { echo "$output" >&2; exit 1; }
}
