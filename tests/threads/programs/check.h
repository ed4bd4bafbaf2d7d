/* check.h - how these programs check themselves: the first wrong result ends them with 1 and its line. */
#ifndef STRATA_TESTS_THREADS_CHECK_H
#define STRATA_TESTS_THREADS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define EXPECT(e)                                                             \
	do {                                                                  \
		if (!(e)) {                                                   \
			printf("%s:%d: wrong: %s\n", __FILE__, __LINE__, #e); \
			fflush(stdout);                                       \
			exit(1);                                              \
		}                                                             \
	} while (0)

#endif
