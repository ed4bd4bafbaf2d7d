/* vpi.c - a design under Icarus Verilog: one library, loaded by the simulator, which starts vvp and speaks to it, and
 * by vvp as a VPI module, whose system tasks are those of vpi.v. A cycle is a struct hdl_ports there and one back over
 * a socket, so that both are in step. What vvp does not say is 0.
 */
#define _GNU_SOURCE
#include "port_shapes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <iverilog/vpi_user.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET = 3, PROGRAM = 4, LOG = 5 }; /* vvp's */
enum { WANTS_CYCLE, WANTS_STATE };

/* ---- vvp: the values of its objects ---- */

/* The simulator has none of these. */
#pragma weak vpi_register_systf
#pragma weak vpi_handle
#pragma weak vpi_handle_by_name
#pragma weak vpi_iterate
#pragma weak vpi_scan
#pragma weak vpi_get
#pragma weak vpi_get_str
#pragma weak vpi_get_value
#pragma weak vpi_put_value
#pragma weak vpi_get_vlog_info
#pragma weak vpi_get_time
#pragma weak vpi_control

static struct hdl_ports ports;

static void vvp_ends(void)
{
	vpi_control(vpiFinish, 0);
}

/* False: the simulator has ended, and so does vvp. */
static bool vvp_reads(void *to, size_t bytes)
{
	if (recv(SOCKET, to, bytes, MSG_WAITALL) == (ssize_t)bytes)
		return true;
	vvp_ends();
	return false;
}

static void vvp_sends(const void *from, size_t bytes)
{
	if (send(SOCKET, from, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		vvp_ends();
}

enum { WORDS = HDL_PORT_BYTES_MAX / 4 }; /* of the widest port */

static void put(vpiHandle object, const void *from, uint32_t bytes)
{
	s_vpi_vecval words[WORDS] = {{0, 0}};
	s_vpi_value value = {.format = vpiVectorVal, .value.vector = words};

	for (uint32_t i = 0; i < bytes; i += 4)
		memcpy(&words[i / 4].aval, (const char *)from + i, bytes - i < 4 ? bytes - i : 4);
	vpi_put_value(object, &value, NULL, vpiNoDelay);
}

static void get(vpiHandle object, void *to, uint32_t bytes)
{
	s_vpi_value value = {.format = vpiVectorVal};

	vpi_get_value(object, &value);
	for (uint32_t i = 0; i < bytes; i += 4) {
		const uint32_t word = (uint32_t)(value.value.vector[i / 4].aval & ~value.value.vector[i / 4].bval);

		memcpy((char *)to + i, &word, bytes - i < 4 ? bytes - i : 4);
	}
}

enum { ARGUMENTS_MAX = 8 + 3 * HDL_PORTS_MAX };

/* Those of the call of a system task; found once for each task, which is called in one place. */
static vpiHandle *arguments(vpiHandle *kept)
{
	vpiHandle all, one;
	uint32_t count = 0;

	if (kept[0])
		return kept;
	all = vpi_iterate(vpiArgument, vpi_handle(vpiSysTfCall, NULL));
	while ((one = vpi_scan(all)))
		kept[count++] = one;
	return kept;
}

/* ---- vvp: registers ---- */

static uint64_t random_state; /* 0: registers begin with 0 */

/* Of splitmix64. */
static uint32_t random_bits(void)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(x >> 32);
}

/* Bits without a value get one. */
static void begin_value(vpiHandle object)
{
	const uint32_t bits = (uint32_t)vpi_get(vpiSize, object), count = (bits + 31) / 32;
	s_vpi_value value = {.format = vpiVectorVal};
	s_vpi_vecval *words = malloc(count * sizeof(*words));
	bool is_unknown = false;

	vpi_get_value(object, &value);
	memcpy(words, value.value.vector, count * sizeof(*words));
	for (uint32_t i = 0; i < count; i++) {
		is_unknown |= words[i].bval != 0;
		words[i].aval = (words[i].aval & ~words[i].bval) |
				(PLI_INT32)((random_state ? random_bits() : 0) & (uint32_t)words[i].bval);
		words[i].bval = 0;
	}
	value.value.vector = words;
	if (is_unknown)
		vpi_put_value(object, &value, NULL, vpiNoDelay);
	free(words);
}

static void each(int type, vpiHandle scope, void (*see)(vpiHandle object))
{
	vpiHandle all = vpi_iterate(type, scope), one;

	while (all && (one = vpi_scan(all)))
		see(one);
}

static void begin_memory(vpiHandle memory)
{
	each(vpiMemoryWord, memory, begin_value);
}

static void begin_scope(vpiHandle scope)
{
	each(vpiReg, scope, begin_value);
	each(vpiIntegerVar, scope, begin_value);
	each(vpiMemory, scope, begin_memory);
	each(vpiInternalScope, scope, begin_scope);
}

/* A line "NAME VALUE" of each register that is not 0; an empty line ends them. */
static void tell(vpiHandle object)
{
	s_vpi_value value = {.format = vpiHexStrVal};
	char line[4096];

	vpi_get_value(object, &value);
	if (strspn(value.value.str, "0") == strlen(value.value.str))
		return;
	snprintf(line, sizeof(line) - 1, "%s %d'h%s", strchr(vpi_get_str(vpiFullName, object), '.') + 1,
		 (int)vpi_get(vpiSize, object), value.value.str);
	strcat(line, "\n");
	vvp_sends(line, strlen(line));
}

static void tell_scope(vpiHandle scope)
{
	each(vpiReg, scope, tell);
	each(vpiIntegerVar, scope, tell);
	each(vpiInternalScope, scope, tell_scope);
}

static vpiHandle design_scope(void)
{
	return vpi_handle_by_name("strata_shim.ndp", NULL);
}

/* ---- vvp: the tasks ---- */

static void check_port(struct hdl_shapes *shapes, vpiHandle object, bool *is_good)
{
	const char *name = vpi_get_str(vpiName, object);
	const uint32_t bits = (uint32_t)vpi_get(vpiSize, object);
	char text[512];

	if (hdl_shape_check(shapes, name, bits, vpi_get(vpiDirection, object) == vpiInput, text, sizeof(text)))
		return;
	fprintf(stderr, "%s\n", text);
	*is_good = false;
}

/* Whether it is a design for such memory ports. */
static bool is_of_shape(const struct hdl_shapes *shapes)
{
	vpiHandle all = vpi_iterate(vpiPort, design_scope()), one;
	char text[512];

	while (all && (one = vpi_scan(all))) {
		if (!hdl_shape_is_other(shapes, vpi_get_str(vpiName, one), (uint32_t)vpi_get(vpiSize, one), text,
					sizeof(text)))
			continue;
		fprintf(stderr, "%s\n", text);
		return false;
	}
	return true;
}

/* All that is too much or different is said, and vvp ends. What is missing is an error of iverilog's already
 * (icarus.c). */
static void check_ports(const char *design)
{
	static struct hdl_shapes shapes;
	vpiHandle all, one;
	bool is_good;

	hdl_shapes_init(&shapes, design, HDL_PORT_COUNT, HDL_PORT_BYTES);
	is_good = is_of_shape(&shapes);
	all = is_good ? vpi_iterate(vpiPort, design_scope()) : NULL;
	while (all && (one = vpi_scan(all)))
		check_port(&shapes, one, &is_good);
	if (!is_good)
		_exit(1);
	vvp_ends();
}

static PLI_INT32 begin(PLI_BYTE8 *unused)
{
	s_vpi_vlog_info info;

	(void)unused;
	vpi_get_vlog_info(&info);
	for (int i = 0; i < info.argc; i++) {
		if (!strncmp(info.argv[i], "+ports=", 7))
			check_ports(info.argv[i] + 7);
		if (!strncmp(info.argv[i], "+seed=", 6))
			random_state = strtoull(info.argv[i] + 6, NULL, 10);
	}
	begin_scope(design_scope());
	return 0;
}

static uint64_t now_ps(void)
{
	s_vpi_time time = {.type = vpiSimTime};

	vpi_get_time(NULL, &time);
	return (uint64_t)time.high << 32 | time.low;
}

/* Waits for the simulator's next cycle. The first, of the reset, begins at once, when a few ps have gone by here. */
static PLI_INT32 next(PLI_BYTE8 *unused)
{
	static vpiHandle of[ARGUMENTS_MAX];
	uint64_t pause;
	uint8_t wants;

	(void)unused;
	(void)!ftruncate(LOG, 0); /* only what was said last is read there */
	while (vvp_reads(&wants, 1) && wants == WANTS_STATE) {
		tell_scope(design_scope());
		vvp_sends("\n", 1);
	}
	if (!vvp_reads(&ports, sizeof(ports)))
		return 0;
	pause = ports.time_ps > now_ps() ? ports.time_ps - now_ps() : 1;
	put(arguments(of)[0], &pause, sizeof(pause));
	put(of[1], &ports.half_ps, sizeof(ports.half_ps));
	put(of[2], &ports.is_recorded, 1);
	return 0;
}

static PLI_INT32 give(PLI_BYTE8 *unused)
{
	static vpiHandle of[ARGUMENTS_MAX];
	uint8_t ready = 0, valid = 0;
	vpiHandle registers = NULL;

	(void)unused;
	for (uint32_t i = 0; i < HDL_PORT_COUNT; i++) {
		ready |= (uint8_t)(ports.in[i].request_ready << i);
		valid |= (uint8_t)(ports.in[i].answer_valid << i);
	}
	put(arguments(of)[0], &ports.reset, 1);
	put(of[1], &ports.message_valid, 1);
	put(of[2], &ports.reply_ready, 1);
	put(of[3], ports.message, sizeof(ports.message));
	put(of[4], &ready, 1);
	put(of[5], &valid, 1);
	if (ports.are_registers_new && (registers = vpi_handle_by_name("strata_shim.ndp.registers", NULL)))
		put(registers, ports.registers, sizeof(ports.registers));
	if (ports.are_registers_new)
		ports.has_registers = registers != NULL;
	for (uint32_t i = 0; i < HDL_PORT_COUNT; i++)
		put(of[6 + i], ports.in[i].answer, HDL_PORT_BYTES);
	return 0;
}

static PLI_INT32 take(PLI_BYTE8 *unused)
{
	static vpiHandle of[ARGUMENTS_MAX];
	uint8_t valid, write;

	(void)unused;
	get(arguments(of)[0], &ports.message_ready, 1);
	get(of[1], &ports.reply_valid, 1);
	get(of[2], &ports.busy, 1);
	get(of[3], &ports.error, 1);
	get(of[4], ports.reply, sizeof(ports.reply));
	get(of[5], &valid, 1);
	get(of[6], &write, 1);
	for (uint32_t i = 0; i < HDL_PORT_COUNT; i++) {
		struct hdl_port_out *out = &ports.out[i];

		out->request_valid = valid >> i & 1;
		out->request_write = write >> i & 1;
		get(of[7 + i], &out->request_address, sizeof(out->request_address));
		get(of[7 + HDL_PORT_COUNT + i], &out->request_bytes, 1);
		get(of[7 + 2 * HDL_PORT_COUNT + i], out->request_data, HDL_PORT_BYTES);
	}
	vvp_sends(&ports, sizeof(ports));
	return 0;
}

static PLI_INT32 mute(PLI_BYTE8 *unused)
{
	static vpiHandle of[ARGUMENTS_MAX];
	static int kept;
	uint8_t is_mute;

	(void)unused;
	get(arguments(of)[0], &is_mute, 1);
	fflush(stdout);
	if (is_mute) {
		const int nowhere = open("/dev/null", O_WRONLY);

		kept = dup(STDOUT_FILENO);
		dup2(nowhere, STDOUT_FILENO);
		close(nowhere);
	} else {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	return 0;
}

static void startup(void)
{
	s_vpi_systf_data tasks[] = {{.tfname = "$strata_begin", .calltf = begin},
				    {.tfname = "$strata_next", .calltf = next},
				    {.tfname = "$strata_give", .calltf = give},
				    {.tfname = "$strata_take", .calltf = take},
				    {.tfname = "$strata_mute", .calltf = mute}};

	for (uint32_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		tasks[i].type = vpiSysTask;
		vpi_register_systf(&tasks[i]);
	}
}

extern void (*vlog_startup_routines[])(void);
void (*vlog_startup_routines[])(void) = {startup, NULL};

/* ---- the simulator ---- */

/* The program for vvp. */
__asm__(".pushsection .rodata\n"
	"strata_vvp_begin:\n"
	".incbin \"design.vvp\"\n"
	"strata_vvp_end:\n"
	".popsection\n");
extern const char strata_vvp_begin[] __attribute__((visibility("hidden")));
extern const char strata_vvp_end[] __attribute__((visibility("hidden")));

struct design {
	pid_t vvp;
	int socket;    /* -1: it has ended */
	int log;       /* what it has said since its last cycle began is at the end of this file */
	uint8_t error; /* why it ended by itself; 0: it has not */
	char why[1024];
};

/* It has the socket, the program and its log; not the environment, which may be one that makes every process a modelled
 * one. Ctrl-C is the simulator's. */
static int start(struct design *d, int socket, int program, const char *wave_path, uint64_t begin_seed)
{
	char module[4096], wave[4096], path[4096], seed[32];
	char *const words[] = {"vvp", "-n", "-l", "/dev/fd/5", "-m", module, "/dev/fd/4", "-fst", seed,
			       wave_path ? wave : NULL, NULL};
	char *const environment[] = {path, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t signals;
	Dl_info self;
	int error;

	if (!dladdr(strata_vvp_begin, &self))
		return -1;
	snprintf(module, sizeof(module), "%s", self.dli_fname);
	snprintf(seed, sizeof(seed), "+seed=%llu", (unsigned long long)begin_seed);
	snprintf(wave, sizeof(wave), "+wave=%s", wave_path ? wave_path : "");
	snprintf(path, sizeof(path), "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, socket, SOCKET);
	posix_spawn_file_actions_adddup2(&files, program, PROGRAM);
	posix_spawn_file_actions_adddup2(&files, d->log, LOG);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attributes, &signals);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	error = posix_spawnp(&d->vvp, "vvp", &files, &attributes, words, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

static void end(void *self)
{
	struct design *d = self;

	if (d->socket < 0)
		return;
	close(d->socket);
	d->socket = -1;
	waitpid(d->vvp, NULL, 0);
}

/* Above those that vvp gets: dup2 of a file onto itself would leave it closed there. */
static int file_above(int file)
{
	const int above = fcntl(file, F_DUPFD_CLOEXEC, LOG + 1);

	close(file);
	return above;
}

static void *make(const char *wave_path, uint64_t seed, uint64_t answer_ns)
{
	const struct timeval silence = {.tv_sec = (time_t)(answer_ns / 1000000000),
					.tv_usec = (suseconds_t)(answer_ns / 1000 % 1000000)};
	const size_t bytes = (size_t)(strata_vvp_end - strata_vvp_begin);
	struct design *d = calloc(1, sizeof(*d));
	int program = memfd_create("design.vvp", MFD_CLOEXEC), sockets[2], error = -1;

	d->log = file_above(memfd_create("design.log", MFD_CLOEXEC));
	if (program >= 0 && d->log >= 0 && write(program, strata_vvp_begin, bytes) == (ssize_t)bytes &&
	    !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		program = file_above(program);
		sockets[1] = file_above(sockets[1]);
		lseek(program, 0, SEEK_SET);
		error = start(d, sockets[1], program, wave_path, seed);
		close(sockets[1]);
		d->socket = sockets[0];
		setsockopt(d->socket, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
	}
	close(program);
	if (!error)
		return d;
	fprintf(stderr, "hdl.design: cannot start vvp: %s\n", strerror(error > 0 ? error : errno));
	if (d->log >= 0)
		close(d->log);
	free(d);
	return NULL;
}

static void drop(void *self)
{
	struct design *d = self;

	end(d);
	close(d->log);
	free(d);
}

static bool asks(struct design *d, uint8_t wants)
{
	return d->socket >= 0 && send(d->socket, &wants, 1, MSG_NOSIGNAL) == 1;
}

/* The last line with one of the words that it has said since its cycle began; "": there is none. */
static void last_said(struct design *d, const char *const *words)
{
	char said[1 << 16];
	const off_t room = sizeof(said) - 1, size = lseek(d->log, 0, SEEK_END);
	const ssize_t bytes = pread(d->log, said, (size_t)room, size > room ? size - room : 0);
	char *rest = said, *line;

	said[bytes > 0 ? bytes : 0] = '\0';
	for (ssize_t i = 0; i < bytes; i++)
		if (!said[i]) /* what was cut off before it */
			said[i] = '\n';
	while ((line = strsep(&rest, "\n")))
		for (const char *const *word = words; *word; word++)
			if (strstr(line, *word))
				snprintf(d->why, sizeof(d->why), "%s", line);
}

/* vvp ends with 0 at $finish and $stop, with 1 at $fatal; it says the place, and $fatal's text. One that is silent is
 * ended. */
static uint8_t why_ended(struct design *d, bool is_silent)
{
	int status;

	if (is_silent)
		kill(d->vvp, SIGKILL);
	if (waitpid(d->vvp, &status, 0) != d->vvp || (!is_silent && (!WIFEXITED(status) || WEXITSTATUS(status) > 1)))
		return HDL_ERROR_LOST;
	if (!is_silent)
		last_said(d, WEXITSTATUS(status) ? (const char *const[]){"FATAL: ", NULL}
						 : (const char *const[]){"$finish called", "$stop called", NULL});
	if (!is_silent && !*d->why)
		strcpy(d->why, WEXITSTATUS(status) ? "$fatal" : "$finish or $stop");
	return is_silent ? HDL_ERROR_SILENT : HDL_ERROR_ENDED;
}

static void cycle(void *self, struct hdl_ports *p)
{
	struct design *d = self;

	errno = 0;
	if (!d->error && (!asks(d, WANTS_CYCLE) || send(d->socket, p, sizeof(*p), MSG_NOSIGNAL) != sizeof(*p) ||
			  recv(d->socket, p, sizeof(*p), MSG_WAITALL) != sizeof(*p)))
		d->error = why_ended(d, errno == EAGAIN || errno == EWOULDBLOCK);
	if (d->error)
		p->error = d->error;
}

static const char *why(void *self)
{
	return ((const struct design *)self)->why;
}

static void state(void *self, void (*tell_one)(void *to, const char *name, const char *value), void *to)
{
	struct design *d = self;
	FILE *in;
	char *line = NULL, *value;
	size_t room = 0;

	if (!asks(d, WANTS_STATE))
		return;
	in = fdopen(dup(d->socket), "r");
	while (in && getline(&line, &room, in) > 1) {
		line[strlen(line) - 1] = '\0';
		value = strchr(line, ' ');
		*value++ = '\0';
		tell_one(to, line, value);
	}
	free(line);
	fclose(in);
}

extern const struct hdl_library strata_hdl_design;
const struct hdl_library strata_hdl_design = {sizeof(struct hdl_ports), make, drop, cycle, why, state, end};
