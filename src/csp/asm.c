/* asm.c - text into a program, line by line; labels and loops are filled in at the end. */
#include "csp/program.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "csp/asm_expr.h"

enum { NAME_BYTES = CSP_NAME_BYTES, INSTRS_MAX = 65536, DIRECTIVES_MAX = 4096, INCLUDES_MAX = 8 };

static const char *const op_names[] = {
#define CSP_OP_NAME(name, enumerator) #name,
    CSP_OPS(CSP_OP_NAME)
#undef CSP_OP_NAME
};

static const struct {
	const char *name;
	uint32_t value_count;
} directives[] = {
#define CSP_DIRECTIVE(name, enumerator, count) {#name, count},
    CSP_DATA(CSP_DIRECTIVE) CSP_CHECKS(CSP_DIRECTIVE)
#undef CSP_DIRECTIVE
};

const char *csp_op_name(enum csp_op op)
{
	return op_names[op];
}

const char *csp_directive_name(enum csp_directive_kind kind)
{
	return directives[kind].name;
}

struct label_use {
	char name[NAME_BYTES];
	uint32_t instr, target;
	struct base_place at;
};

struct assembly {
	struct csp_program *program;
	const struct csp_config *config;
	GArray *instrs, *data, *checks, *uses; /* csp_instr, csp_directive, csp_directive, label_use */
	GArray *ports, *measures;	       /* csp_port, csp_measure */
	GPtrArray *files;		       /* paths of the texts, the program's own first */
	const char *file;		       /* of them, that whose lines are read */
	uint32_t include_count;		       /* texts that are being read around it */
	GHashTable *names, *labels;	       /* -> int64_t *, of labels the instruction */
	GHashTable *unused;		       /* names of the command line that the text has not named yet */
	uint32_t open[CSP_LOOPS_MAX], open_count; /* loops without their end */
	uint32_t first_core, last_core;
	bool has_core;
	struct base_diag_list *diag;
};

static void name_set(GHashTable *names, const char *name, int64_t value)
{
	int64_t *kept = g_new(int64_t, 1);

	*kept = value;
	g_hash_table_insert(names, g_strdup(name), kept);
}

/* ---- operands of each kind of instruction ---- */

static bool read_value(struct csp_reader *r, struct csp_instr *x)
{
	return csp_read_expr(r, &x->value);
}

static bool read_label(struct assembly *a, struct csp_reader *r, struct csp_instr *x)
{
	struct label_use use = {.instr = a->instrs->len, .target = x->target_count};

	csp_skip_spaces(r);
	use.at = r->place;
	use.at.col = (uint32_t)(r->at - r->begin) + 1;
	if (x->target_count == CSP_TARGETS_MAX) {
		base_diag_error(r->diag, use.at, "more than %d targets", CSP_TARGETS_MAX);
		return false;
	}
	if (!csp_read_word(r, use.name, sizeof(use.name), "a label"))
		return false;
	x->target_count++;
	g_array_append_val(a->uses, use);
	return true;
}

/* Optional "xN" at the end. */
static bool read_count(struct csp_reader *r, struct csp_instr *x)
{
	x->count = (struct csp_expr){.constant = 1};
	csp_skip_spaces(r);
	if (*r->at != 'x')
		return true;
	r->at++;
	return csp_read_expr(r, &x->count);
}

static bool read_operands(struct csp_reader *r, struct csp_instr *x, const char *spaces)
{
	static const char letters[] = {
	    [CSP_REGISTERS] = 'r', [CSP_SCALARS] = 's', [CSP_VECTORS] = 'v', [CSP_LINES] = 'm', [CSP_ZERO] = 'z'};

	for (uint32_t i = 0; *spaces; i++) {
		const size_t n = strcspn(spaces, ",");
		struct csp_operand *o = &x->operands[i];
		const char *begin;

		if (i && !csp_read_char(r, ','))
			return false;
		csp_skip_spaces(r);
		begin = r->at;
		if (!csp_read_operand(r, o))
			return false;
		if (!memchr(spaces, letters[o->space], n)) {
			r->at = begin;
			return csp_expected(r, spaces[0] == 'm'	  ? "a line of memory, [...]"
					       : spaces[0] == 's' ? "a scalar, s[...]"
					       : n > 1		  ? "a register, or what else it takes there"
								  : "a register, r[...]");
		}
		x->operand_count++;
		spaces += n + (spaces[n] == ',');
	}
	return read_count(r, x);
}

static bool read_cfma_suffix(struct csp_reader *r, struct csp_instr *x)
{
	if (!csp_take(r, '.'))
		return true;
	for (; *r->at == 'c' || *r->at == 'n'; r->at++) {
		bool *flag = *r->at == 'c' ? &x->is_conjugate : &x->is_negative;

		if (*flag)
			break;
		*flag = true;
	}
	if (*r->at == ' ' || *r->at == '\t')
		return true;
	return csp_expected(r, "cfma, cfma.c (conjugates b), cfma.n (subtracts) or cfma.cn");
}

static bool read_loop(struct assembly *a, struct csp_reader *r, struct csp_instr *x)
{
	if (a->open_count == CSP_LOOPS_MAX) {
		base_diag_error(r->diag, r->place, "loops more than %d deep", CSP_LOOPS_MAX);
		return false;
	}
	a->open[a->open_count++] = a->instrs->len;
	return read_value(r, x);
}

static bool read_end(struct assembly *a, struct csp_reader *r, struct csp_instr *x)
{
	struct csp_instr *loop;

	if (!a->open_count) {
		base_diag_error(r->diag, r->place, "'end' without a loop");
		return false;
	}
	x->targets[0] = a->open[--a->open_count];
	if (x->targets[0] >= a->instrs->len) /* its loop has a mistake of its own */
		return false;
	loop = &g_array_index(a->instrs, struct csp_instr, x->targets[0]);
	loop->targets[0] = a->instrs->len + 1;
	return true;
}

static bool read_branch(struct assembly *a, struct csp_reader *r, struct csp_instr *x)
{
	bool is_ok = csp_read_index(r, &x->index);

	while (is_ok && (!x->target_count || !csp_is_end(r)))
		is_ok = csp_read_char(r, ',') && read_label(a, r, x);
	return is_ok;
}

static bool read_arguments(struct assembly *a, struct csp_reader *r, struct csp_instr *x)
{
	switch (x->op) {
	case CSP_SET:
		return csp_read_index(r, &x->index) && csp_read_char(r, ',') && read_value(r, x);
	case CSP_MUL:
	case CSP_DIV:
	case CSP_MOD:
	case CSP_AND:
	case CSP_REV:
		return csp_read_index(r, &x->index) && csp_read_char(r, ',') && csp_read_index(r, &x->source) &&
		       csp_read_char(r, ',') && read_value(r, x);
	case CSP_CORE:
		return csp_read_index(r, &x->index);
	case CSP_LOOP:
		return read_loop(a, r, x);
	case CSP_END:
		return read_end(a, r, x);
	case CSP_JUMP:
		return read_label(a, r, x);
	case CSP_BRANCH:
		return read_branch(a, r, x);
	case CSP_BLT:
	case CSP_BGE:
	case CSP_BEQ:
	case CSP_BNE:
		return csp_read_index(r, &x->index) && csp_read_char(r, ',') && read_value(r, x) &&
		       csp_read_char(r, ',') && read_label(a, r, x);
	case CSP_LOAD:
		return read_operands(r, x, "rv,m");
	case CSP_STORE:
		return read_operands(r, x, "m,r");
	case CSP_SEND:
		return read_value(r, x) && csp_read_char(r, ',') && read_operands(r, x, "m,r");
	case CSP_SIGNAL:
	case CSP_WAIT:
	case CSP_ARRIVED:
		return read_value(r, x);
	case CSP_CFMA:
		return read_cfma_suffix(r, x) && read_operands(r, x, "r,rz,r,s");
	case CSP_HALT:
		return true;
	}
	UNREACHABLE("an operation");
}

/* ---- lines ---- */

static bool only_spaces_left(struct csp_reader *r)
{
	return csp_is_end(r) || csp_expected(r, "the end of the line");
}

/* The end of the lines that the last .core began; line is where that is. */
static void section_close(struct assembly *a, uint32_t line)
{
	const struct csp_instr halt = {.op = CSP_HALT, .file = a->file, .line = line};
	const uint32_t open = a->open_count ? a->open[a->open_count - 1] : UINT32_MAX;

	/* A loop with a mistake of its own is no instruction, and another stands in its place, or none. */
	if (open < a->instrs->len && g_array_index(a->instrs, struct csp_instr, open).op == CSP_LOOP)
		base_diag_error(a->diag, (struct base_place){a->file, line, 1},
				"a loop of line %u without its 'end'",
				g_array_index(a->instrs, struct csp_instr, open).line);
	a->open_count = 0;
	if (a->has_core)
		g_array_append_val(a->instrs, halt);
}

/* ".core 3" or ".core 0, 13": what follows is theirs. */
static bool read_core(struct assembly *a, struct csp_reader *r)
{
	const uint32_t count = a->program->core_count;
	int64_t first, last;

	if (a->has_core)
		section_close(a, r->place.line);
	if (!csp_read_constant(r, &first))
		return false;
	last = first;
	if ((csp_take(r, ',') && !csp_read_constant(r, &last)) || !only_spaces_left(r))
		return false;
	if (first < 0 || last < first || last >= count) {
		base_diag_error(r->diag, r->place, "cores %lld to %lld: the machine has 0 to %u", (long long)first,
				(long long)last, count - 1);
		return false;
	}
	a->first_core = (uint32_t)first;
	a->last_core = (uint32_t)last;
	a->has_core = true;
	for (uint32_t i = a->first_core; i <= a->last_core; i++) {
		if (a->program->entries[i] != UINT32_MAX) {
			base_diag_error(r->diag, r->place, "core %u has a program already", i);
			return false;
		}
		a->program->entries[i] = a->instrs->len;
	}
	return true;
}

/* ".set NAME, VALUE"; what the command line defines stays. */
static bool read_set(struct assembly *a, struct csp_reader *r)
{
	char name[NAME_BYTES];
	int64_t value;

	if (!csp_read_word(r, name, sizeof(name), "a name") || !csp_read_char(r, ',') || !csp_read_constant(r, &value))
		return false;
	g_hash_table_remove(a->unused, name);
	if (!g_hash_table_contains(a->names, name))
		name_set(a->names, name, value);
	return only_spaces_left(r);
}

static bool read_values(struct assembly *a, struct csp_reader *r, struct csp_directive *d)
{
	for (uint32_t i = 0; i < directives[d->kind].value_count; i++) {
		if (i && !csp_read_char(r, ','))
			return false;
		if (!csp_read_constant(r, &d->values[i]))
			return false;
		if (d->values[i] < 0) {
			base_diag_error(r->diag, r->place, ".%s: a value is below 0", directives[d->kind].name);
			return false;
		}
	}
	d->first_core = a->first_core;
	d->last_core = a->last_core;
	return only_spaces_left(r);
}

static bool read_directive_values(struct assembly *a, struct csp_reader *r, uint32_t first, uint32_t end,
				  const char *what, GArray *out)
{
	struct csp_directive d = {.file = a->file, .line = r->place.line};
	char name[NAME_BYTES];
	const char *names[ARRAY_COUNT(directives)];

	if (!csp_read_word(r, name, sizeof(name), what))
		return false;
	for (uint32_t i = first; i < end; i++) {
		names[i - first] = directives[i].name;
		if (strcmp(name, directives[i].name))
			continue;
		d.kind = (enum csp_directive_kind)i;
		if (!read_values(a, r, &d))
			return false;
		if (out->len >= DIRECTIVES_MAX) {
			base_diag_error(r->diag, r->place, "more than %d such directives", DIRECTIVES_MAX);
			return false;
		}
		g_array_append_val(out, d);
		return true;
	}

	const char *nearest = base_nearest_name(name, names, end - first);

	base_diag_error(r->diag, r->place, "no %s '%s'%s%s%s", what, name, nearest ? "; did you mean '" : "",
			nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

/* ".input NAME, LINE, LINES", ".output NAME, LINE, LINES". */
static bool read_port(struct assembly *a, struct csp_reader *r, bool is_output)
{
	struct csp_port p = {.is_output = is_output,
			     .first_core = a->first_core,
			     .last_core = a->last_core,
			     .file = a->file,
			     .line = r->place.line};

	if (!csp_read_word(r, p.name, sizeof(p.name), "a name") || !csp_read_char(r, ',') ||
	    !csp_read_constant(r, &p.first) || !csp_read_char(r, ',') || !csp_read_constant(r, &p.count) ||
	    !only_spaces_left(r))
		return false;
	if (p.first < 0 || p.count < 1) {
		base_diag_error(r->diag, r->place, "lines from 0 on, and at least one of them");
		return false;
	}
	for (uint32_t i = 0; i < a->ports->len; i++) {
		const struct csp_port *other = &g_array_index(a->ports, struct csp_port, i);

		if (other->is_output == is_output && !strcmp(other->name, p.name)) {
			base_diag_error(r->diag, r->place, "'%s' is there already, in line %u", p.name, other->line);
			return false;
		}
	}
	g_array_append_val(a->ports, p);
	return true;
}

/* ".arrivals LINE, LINES, EACH": of one core of a program. */
static bool read_arrivals(struct assembly *a, struct csp_reader *r)
{
	struct csp_arrivals in = {.core = a->first_core, .file = a->file, .line = r->place.line};

	if (!csp_read_constant(r, &in.first) || !csp_read_char(r, ',') || !csp_read_constant(r, &in.count) ||
	    !csp_read_char(r, ',') || !csp_read_constant(r, &in.each) || !only_spaces_left(r))
		return false;
	if (in.first < 0 || in.count < 1 || in.each < 1 || in.each > in.count) {
		base_diag_error(r->diag, r->place,
				"lines from 0 on, at least one of them, and no more than all at once");
		return false;
	}
	if (a->first_core != a->last_core || a->program->arrivals.count) {
		base_diag_error(r->diag, r->place, "what arrives is one core's, and stands in the program once");
		return false;
	}
	a->program->arrivals = in;
	return true;
}

/* ".measure NAME, FACTOR, FACTOR": their product is larger than a number of the text may be. */
static bool read_measure(struct assembly *a, struct csp_reader *r)
{
	struct csp_measure m = {.value = 1};

	if (!csp_read_word(r, m.name, sizeof(m.name), "a name"))
		return false;
	do {
		int64_t factor;

		if (!csp_read_char(r, ',') || !csp_read_constant(r, &factor))
			return false;
		m.value *= (double)factor;
	} while (!csp_is_end(r));
	g_array_append_val(a->measures, m);
	return true;
}

/* Those that are about the memory of the cores of a section. */
static bool read_section_directive(struct assembly *a, struct csp_reader *r, const char *name)
{
	if (!a->has_core) {
		base_diag_error(r->diag, r->place, "'.%s' before the first '.core'", name);
		return false;
	}
	if (!strcmp(name, "data"))
		return read_directive_values(a, r, 0, CSP_CHECK_FIR, "data", a->data);
	if (!strcmp(name, "check"))
		return read_directive_values(a, r, CSP_CHECK_FIR, ARRAY_COUNT(directives), "check", a->checks);
	return !strcmp(name, "arrivals") ? read_arrivals(a, r) : read_port(a, r, *name == 'o');
}

/* The text of a program's file, at most CSP_PROGRAM_BYTES_MAX; NULL with a message at the place. */
static char *text_of(const char *path, struct base_place at, const char *what, struct base_diag_list *diag)
{
	g_autofree char *text = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, NULL)) {
		base_diag_error(diag, at, "cannot read %s: %s", what, strerror(errno));
		return NULL;
	}
	if (length > CSP_PROGRAM_BYTES_MAX) {
		base_diag_error(diag, at, "%s: more than %d bytes: no program", what, CSP_PROGRAM_BYTES_MAX);
		return NULL;
	}
	if (memchr(text, '\0', length)) {
		base_diag_error(diag, at, "%s: no text: it has a byte 0", what);
		return NULL;
	}
	return g_steal_pointer(&text);
}

static void read_line(struct assembly *a, char *text, uint32_t number);

/* All lines of a text; a->file is its path. The number of the last one. */
static uint32_t read_lines(struct assembly *a, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	uint32_t count = 0;

	for (; lines[count]; count++)
		read_line(a, lines[count], count + 1);
	return MAX(count, 1);
}

/* '.include "FILE"', beside the file that says it: its lines are read here. */
static bool read_include(struct assembly *a, struct csp_reader *r)
{
	const char *outer = a->file, *end;
	g_autofree char *name = NULL, *path = NULL, *text = NULL;

	if (!csp_read_char(r, '"') || !(end = strchr(r->at, '"')) || end == r->at)
		return csp_expected(r, "the name of a file in quotes");
	name = g_strndup(r->at, (size_t)(end - r->at));
	r->at = end + 1;
	if (!only_spaces_left(r))
		return false;
	if (a->include_count == INCLUDES_MAX) {
		base_diag_error(r->diag, r->place, "files that include files more than %d deep", INCLUDES_MAX);
		return false;
	}
	path = csp_include_path(outer, name);
	text = text_of(path, r->place, path, r->diag);
	if (!text)
		return false;
	a->file = path;
	g_ptr_array_add(a->files, g_steal_pointer(&path));
	a->include_count++;
	read_lines(a, text);
	a->include_count--;
	a->file = outer;
	return true;
}

static bool read_directive(struct assembly *a, struct csp_reader *r)
{
	static const char *const names[] = {"core", "set", "measure", "include", "data", "check", "input", "output",
					    "arrivals"};
	enum { SECTION_NAMES = 4 }; /* from here on */
	char name[NAME_BYTES];

	if (!csp_read_word(r, name, sizeof(name),
			   "core, set, measure, include, data, check, input, output or arrivals"))
		return false;
	if (!strcmp(name, "include"))
		return read_include(a, r);
	if (!strcmp(name, "core"))
		return read_core(a, r);
	if (!strcmp(name, "set"))
		return read_set(a, r);
	if (!strcmp(name, "measure"))
		return read_measure(a, r);
	for (uint32_t i = SECTION_NAMES; i < ARRAY_COUNT(names); i++)
		if (!strcmp(name, names[i]))
			return read_section_directive(a, r, name);

	const char *nearest = base_nearest_name(name, names, ARRAY_COUNT(names));

	base_diag_error(r->diag, r->place, "no directive '.%s'%s%s%s", name, nearest ? "; did you mean '." : "",
			nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

static bool read_instr(struct assembly *a, struct csp_reader *r, const char *word)
{
	struct csp_instr x = {.file = a->file, .line = r->place.line};
	uint32_t op = 0;

	while (op < ARRAY_COUNT(op_names) && strcmp(op_names[op], word))
		op++;
	if (op == ARRAY_COUNT(op_names)) {
		const char *nearest = base_nearest_name(word, op_names, ARRAY_COUNT(op_names));

		base_diag_error(r->diag, r->place, "no instruction '%s'%s%s%s", word, nearest ? "; did you mean '" : "",
				nearest ? nearest : "", nearest ? "'?" : "");
		return false;
	}
	if (!a->has_core) {
		base_diag_error(r->diag, r->place, "an instruction before the first '.core'");
		return false;
	}
	if (a->instrs->len >= INSTRS_MAX) {
		base_diag_error(r->diag, r->place, "more than %d instructions", INSTRS_MAX);
		return false;
	}
	x.op = (enum csp_op)op;
	if (!read_arguments(a, r, &x) || !only_spaces_left(r))
		return false;
	g_array_append_val(a->instrs, x);
	return true;
}

static void read_line(struct assembly *a, char *text, uint32_t number)
{
	struct csp_reader r = {.begin = text,
			       .at = text,
			       .place = {a->file, number, 1},
			       .names = a->names,
			       .unused = a->unused,
			       .diag = a->diag};
	char word[NAME_BYTES];

	text[strcspn(text, ";#")] = '\0';
	if (csp_is_end(&r))
		return;
	r.place.col = (uint32_t)(r.at - r.begin) + 1;
	if (csp_take(&r, '.')) {
		read_directive(a, &r);
		return;
	}
	if (!csp_read_word(&r, word, sizeof(word), "an instruction, a label or a directive"))
		return;
	if (*r.at == ':') {
		r.at++;
		if (g_hash_table_contains(a->labels, word))
			base_diag_error(a->diag, r.place, "label '%s' is there already", word);
		else
			name_set(a->labels, word, a->instrs->len);
		if (csp_is_end(&r) || !csp_read_word(&r, word, sizeof(word), "an instruction"))
			return;
	}
	read_instr(a, &r, word);
}

static void resolve(struct assembly *a)
{
	for (uint32_t i = 0; i < a->uses->len; i++) {
		const struct label_use *use = &g_array_index(a->uses, struct label_use, i);
		const int64_t *target = g_hash_table_lookup(a->labels, use->name);

		if (!target)
			base_diag_error(a->diag, use->at, "no label '%s'", use->name);
		else if (use->instr < a->instrs->len)
			g_array_index(a->instrs, struct csp_instr, use->instr).targets[use->target] =
			    (uint32_t)*target;
	}
}

static void names_begin(struct assembly *a, const struct csp_define *defines, uint32_t define_count)
{
	const struct csp_params *p = &a->config->csp;

	name_set(a->names, "M", (int64_t)p->fu_count);
	name_set(a->names, "ENTRIES", (int64_t)p->ssrf_entry_count);
	name_set(a->names, "REGISTERS", csp_register_count(p));
	name_set(a->names, "THREADS", (int64_t)p->thread_count);
	name_set(a->names, "CORES", (int64_t)p->core_count);
	for (uint32_t i = 0; i < define_count; i++) {
		if (g_hash_table_contains(a->names, defines[i].name) &&
		    !g_hash_table_contains(a->unused, defines[i].name))
			base_diag_error(a->diag, (struct base_place){"--define", 0, 0},
					"%s is the machine's; --set changes its parameters", defines[i].name);
		name_set(a->names, defines[i].name, defines[i].value);
		g_hash_table_add(a->unused, g_strdup(defines[i].name));
	}
}

/* What the command line defines and the text does not name was meant for something else. */
static void unused_report(struct assembly *a, const struct csp_define *defines, uint32_t define_count)
{
	for (uint32_t i = 0; i < define_count; i++)
		if (g_hash_table_contains(a->unused, defines[i].name))
			base_diag_error(a->diag, (struct base_place){"--define", 0, 0}, "%s has no name '%s'",
					a->program->path, defines[i].name);
}

static struct csp_program *finish(struct assembly *a, uint32_t errors_before)
{
	struct csp_program *p = a->program;

	p->instr_count = a->instrs->len;
	p->data_count = a->data->len;
	p->check_count = a->checks->len;
	p->instrs = (struct csp_instr *)(void *)g_array_free(a->instrs, FALSE);
	p->data = (struct csp_directive *)(void *)g_array_free(a->data, FALSE);
	p->checks = (struct csp_directive *)(void *)g_array_free(a->checks, FALSE);
	p->port_count = a->ports->len;
	p->measure_count = a->measures->len;
	p->ports = (struct csp_port *)(void *)g_array_free(a->ports, FALSE);
	p->measures = (struct csp_measure *)(void *)g_array_free(a->measures, FALSE);
	g_ptr_array_add(a->files, NULL);
	p->files = (char **)g_ptr_array_free(a->files, FALSE);
	g_array_free(a->uses, TRUE);
	g_hash_table_destroy(a->unused);
	g_hash_table_destroy(a->names);
	g_hash_table_destroy(a->labels);
	if (a->diag->error_count == errors_before)
		return p;
	csp_program_free(p);
	return NULL;
}

struct csp_program *csp_assemble(const char *text, const char *path, const struct csp_config *config,
				 const struct csp_define *defines, uint32_t define_count, struct base_diag_list *diag)
{
	const uint32_t errors_before = diag->error_count;
	struct assembly a = {
	    .program = g_new0(struct csp_program, 1),
	    .config = config,
	    .instrs = g_array_new(FALSE, FALSE, sizeof(struct csp_instr)),
	    .data = g_array_new(FALSE, FALSE, sizeof(struct csp_directive)),
	    .checks = g_array_new(FALSE, FALSE, sizeof(struct csp_directive)),
	    .uses = g_array_new(FALSE, FALSE, sizeof(struct label_use)),
	    .ports = g_array_new(FALSE, FALSE, sizeof(struct csp_port)),
	    .measures = g_array_new(FALSE, FALSE, sizeof(struct csp_measure)),
	    .files = g_ptr_array_new(),
	    .unused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	    .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
	    .labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
	    .diag = diag,
	};
	uint32_t count;

	a.program->path = g_strdup(path);
	g_ptr_array_add(a.files, g_strdup(path));
	a.file = a.files->pdata[0];
	a.program->core_count = (uint32_t)config->csp.core_count;
	a.program->entries = g_new(uint32_t, a.program->core_count);
	memset(a.program->entries, 0xff, a.program->core_count * sizeof(uint32_t));
	names_begin(&a, defines, define_count);
	count = read_lines(&a, text);
	section_close(&a, count);
	resolve(&a);
	if (diag->error_count == errors_before)
		unused_report(&a, defines, define_count);
	if (!a.has_core && diag->error_count == errors_before)
		base_diag_error(diag, (struct base_place){path, 1, 1}, "no '.core': the program is nobody's");
	return finish(&a, errors_before);
}

struct csp_program *csp_assemble_file(const char *path, const struct csp_config *config,
				      const struct csp_define *defines, uint32_t define_count,
				      struct base_diag_list *diag)
{
	g_autofree char *text = text_of(path, (struct base_place){.file = path}, "the program", diag);

	return text ? csp_assemble(text, path, config, defines, define_count, diag) : NULL;
}

void csp_program_free(struct csp_program *p)
{
	if (!p)
		return;
	g_free(p->path);
	g_strfreev(p->files);
	g_free(p->instrs);
	g_free(p->entries);
	g_free(p->data);
	g_free(p->checks);
	g_free(p->ports);
	g_free(p->measures);
	g_free(p);
}
