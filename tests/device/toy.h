/* toy.h - a device that shares nothing with the GPU: it runs CTAs one after the other, an instruction in a cycle of
 * 1 ns. machine_new here takes the place of machine/'s: programs linked with it run on the toy.
 */
#ifndef TESTS_DEVICE_TOY_H
#define TESTS_DEVICE_TOY_H

#include <jansson.h>

#include "machine/run.h"
#include "machine/session.h"

enum { TOY_PROCESSORS = 3, TOY_THREADS = 256, TOY_CYCLE_PS = 1000 };

/* A directory for the results, and a session of the default machine in the environment that puts them there. Settings
 * are lines of it. */
void toy_session(const char *settings);
/* Forks: the child does what and exits with 0. Returns the child's status as waitpid tells it. signal: sent when the
 * child has called toy_ready; 0: none. */
int toy_child(void (*what)(void), int signal);
void toy_ready(void);
/* The toy calls it when a launch has begun. */
extern bool toy_is_ready_in_launch;
/* The results of the session's first process, and a field of them. */
json_t *toy_results(void);
uint64_t toy_int(const json_t *o, const char *key);
/* Removes the directory. */
void toy_end(void);

#endif
