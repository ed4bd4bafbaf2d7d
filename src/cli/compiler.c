/* compiler.c - strata cc and strata c++ as a program, strata-compiler, also called strata-cc and strata-c++: for build
 * systems that want the name of a compiler, not two words. Our own workloads are built by it, and so not again whenever
 * a command changes. */
#include "cli/command.h"

#include <string.h>

int main(int argc, char **argv)
{
	return argc && !strcmp(basename(argv[0]), "strata-c++") ? cli_cxx(argc, argv) : cli_cc(argc, argv);
}
