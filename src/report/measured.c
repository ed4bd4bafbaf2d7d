/* measured.c - tells whose file it is by its header, and reads names and times. */
#include "report/measured.h"

#include "report/csv_line.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

enum { NAME_MAX_BYTES = 16384 };

/* Of one measurement, and of all that a row says. */
static const double LEAST_PS = 1e-9, MOST_PS = 1e24, MOST_COUNT = 1e15;

struct unit {
	const char *name;
	double ps;
};

/* As we, Nsight Systems, Nsight Compute and perf write them. */
static const struct unit units[] = {
    {"ps", 1},     {"psecond", 1},   {"ns", 1e3},      {"nsec", 1e3}, {"nsecond", 1e3},
    {"us", 1e6},   {"usec", 1e6},    {"usecond", 1e6}, {"µs", 1e6},   {"ms", 1e9},
    {"msec", 1e9}, {"msecond", 1e9}, {"s", 1e12},      {"sec", 1e12}, {"second", 1e12},
};
static const char unit_names[] = "ps, ns, us, ms and s";

struct reader;

/* A kind of file. */
struct format {
	const char *name, *kind;
	/* Is the line its header? Finds its columns. */
	bool (*is_header)(struct reader *r);
	void (*read_row)(struct reader *r);
	bool ends_at_blank; /* a blank line ends the table; what follows is another one */
	bool is_quoted;     /* its lines begin with a quote; others are what the program has printed */
};

struct reader {
	struct base_diag_list *diag;
	const char *path;
	char **lines;
	uint32_t line; /* from 1 */
	struct report_csv_line csv;
	const struct format *format;
	uint32_t column_count;
	int name, time, count, id, metric, unit; /* columns; -1: there is none */
	double scale_ps;                         /* of the time's unit */
	GHashTable *ids;                         /* of launches whose time is known */
	json_t *rows;
	GHashTable *row_of; /* by name: the row, which rows owns */
	double left_out;
	/* perf's events, of one program. */
	double duration_ps, clock_ps;
	bool is_wrong;
};

static void wrong(struct reader *r, uint32_t col, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void wrong(struct reader *r, uint32_t col, const char *fmt, ...)
{
	const struct base_place at = {r->path, r->line, col};
	g_autofree char *text = NULL;
	va_list ap;

	if (r->is_wrong)
		return;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	base_diag_error(r->diag, at, "%s", text);
	r->is_wrong = true;
}

static const struct report_csv_field *field(const struct reader *r, int column)
{
	return &r->csv.fields[column];
}

/* ---- units and numbers ---- */

static double unit_ps(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (!g_ascii_strcasecmp(units[i].name, name))
			return units[i].ps;
	return 0;
}

/* "time_us", "Total Time (ns)": the unit of a column that begins with the name; NULL: it does not, or has none. */
static char *column_unit(const char *text, const char *name)
{
	const size_t length = strlen(name);
	char *unit;

	if (g_ascii_strncasecmp(text, name, length))
		return NULL;
	text += length;
	while (*text == ' ')
		text++;
	if (*text != '_' && *text != '(' && *text != '[')
		return NULL;
	unit = g_strdup(text + 1);
	g_strdelimit(unit, ")]", '\0');
	return unit;
}

/* The column that begins so and has a unit in its name, which becomes the time's. -1: there is none. */
static int time_column(struct reader *r, const char *name)
{
	for (uint32_t i = 0; i < r->csv.count; i++) {
		g_autofree char *unit = column_unit(r->csv.fields[i].text, name);

		if (!unit)
			continue;
		r->scale_ps = unit_ps(unit);
		if (r->scale_ps <= 0)
			wrong(r, r->csv.fields[i].col, "unknown unit '%s': expected one of %s", unit, unit_names);
		return (int)i;
	}
	return -1;
}

/* "1,234.5", and not what stands for 12.5 elsewhere, "12,5". */
static bool is_thousands(const char *comma)
{
	uint32_t digits = 0;

	while (g_ascii_isdigit(comma[1 + digits]))
		digits++;
	return digits == 3;
}

/* Thousands may have commas before them, in Nsight Compute's files. */
static bool number_read(const char *text, bool has_commas, double *out)
{
	g_autofree char *plain = g_strdup(text);
	char *to = plain, *end;

	for (const char *from = text; *from; from++)
		if (!has_commas || *from != ',' || !is_thousands(from))
			*to++ = *from;
	*to = '\0';
	*out = g_ascii_strtod(plain, &end);
	return *plain && !*end && isfinite(*out);
}

/* A number above 0, of what is named; 0 after a message. */
static double positive(struct reader *r, int column, const char *what)
{
	const struct report_csv_field *f = field(r, column);
	double value;

	if (!number_read(f->text, r->id >= 0, &value))
		wrong(r, f->col, "'%s' is no number: expected %s", f->text, what);
	else if (value < 0)
		wrong(r, f->col, "%s is negative: %s", what, f->text);
	else if (value == 0)
		wrong(r, f->col, "%s is 0: nothing can be compared with it", what);
	else
		return value;
	return 0;
}

/* ---- rows ---- */

/* One more measurement of that name, or count of them that took so long together. */
static void add(struct reader *r, uint32_t col, const char *name, double count, double sum_ps)
{
	json_t *row = g_hash_table_lookup(r->row_of, name);

	if (r->is_wrong)
		return;
	if (strlen(name) > NAME_MAX_BYTES) {
		wrong(r, col, "a name of more than %d bytes", NAME_MAX_BYTES);
		return;
	}
	if (!(sum_ps / count > LEAST_PS && sum_ps < MOST_PS && count < MOST_COUNT)) {
		wrong(r, col, "a time of '%s' that nothing takes", name);
		return;
	}
	if (!row) {
		row = json_pack("{s:s, s:f, s:f, s:I}", "name", name, "count", 0.0, "sum_ps", 0.0, "line",
				(json_int_t)r->line);
		json_array_append_new(r->rows, row);
		g_hash_table_insert(r->row_of, g_strdup(name), row);
	}
	json_object_set_new(row, "count", json_real(json_number_value(json_object_get(row, "count")) + count));
	json_object_set_new(row, "sum_ps", json_real(json_number_value(json_object_get(row, "sum_ps")) + sum_ps));
}

/* The name in a row; NULL after a message. */
static const char *name_of(struct reader *r)
{
	const struct report_csv_field *f = field(r, r->name);

	if (*f->text)
		return f->text;
	wrong(r, f->col, "expected a name");
	return NULL;
}

/* A row that is one measurement. */
static void read_one(struct reader *r)
{
	const char *name = name_of(r);
	const double time = name ? positive(r, r->time, "the time") : 0;

	if (time > 0)
		add(r, field(r, r->name)->col, name, 1, time * r->scale_ps);
}

/* ---- a table of one's own ---- */

static bool is_plain(struct reader *r, const char *name)
{
	r->name = report_csv_column(&r->csv, name);
	if (r->name >= 0)
		r->time = time_column(r, "time");
	return r->name >= 0 && r->time >= 0;
}

static bool is_kernels(struct reader *r)
{
	return is_plain(r, "kernel");
}

static bool is_programs(struct reader *r)
{
	return is_plain(r, "program");
}

/* ---- Nsight Systems ---- */

static bool is_nsys_sum(struct reader *r)
{
	r->name = report_csv_column(&r->csv, "Name");
	r->count = report_csv_column(&r->csv, "Instances");
	if (r->name >= 0 && r->count >= 0)
		r->time = time_column(r, "Total Time");
	return r->name >= 0 && r->count >= 0 && r->time >= 0;
}

static void read_nsys_sum(struct reader *r)
{
	const char *name = name_of(r);
	const double count = name ? positive(r, r->count, "the number of instances") : 0;
	const double time = count > 0 ? positive(r, r->time, "the time") : 0;

	if (time > 0)
		add(r, field(r, r->name)->col, name, count, time * r->scale_ps);
}

static bool is_nsys_trace(struct reader *r)
{
	r->name = report_csv_column(&r->csv, "Name");
	if (r->name >= 0 && report_csv_column(&r->csv, "CorrId") >= 0)
		r->time = time_column(r, "Duration");
	return r->name >= 0 && r->time >= 0;
}

/* Copies and fills stand between kernels. */
static void read_nsys_trace(struct reader *r)
{
	if (g_str_has_prefix(field(r, r->name)->text, "[CUDA mem"))
		r->left_out++;
	else
		read_one(r);
}

/* ---- Nsight Compute ---- */

static bool is_duration(const char *metric)
{
	return !strcmp(metric, "gpu__time_duration.sum") || !strcmp(metric, "Duration");
}

static bool is_ncu_long(struct reader *r)
{
	r->name = report_csv_column(&r->csv, "Kernel Name");
	r->metric = report_csv_column(&r->csv, "Metric Name");
	r->unit = report_csv_column(&r->csv, "Metric Unit");
	r->time = report_csv_column(&r->csv, "Metric Value");
	r->id = report_csv_column(&r->csv, "ID");
	return r->name >= 0 && r->metric >= 0 && r->unit >= 0 && r->time >= 0 && r->id >= 0;
}

static void read_ncu_long(struct reader *r)
{
	const char *unit = field(r, r->unit)->text;

	if (!is_duration(field(r, r->metric)->text))
		return;
	/* Several sections may have the duration of the same launch. */
	if (!g_hash_table_add(r->ids, g_strdup(field(r, r->id)->text)))
		return;
	r->scale_ps = unit_ps(unit);
	if (r->scale_ps <= 0)
		wrong(r, field(r, r->unit)->col, "unknown unit '%s': expected one of %s", unit, unit_names);
	read_one(r);
}

static bool is_ncu_raw(struct reader *r)
{
	r->name = report_csv_column(&r->csv, "Kernel Name");
	r->time = report_csv_column(&r->csv, "gpu__time_duration.sum");
	r->id = report_csv_column(&r->csv, "ID");
	return r->name >= 0 && r->time >= 0 && r->id >= 0;
}

/* The first line has the units. */
static void read_ncu_raw(struct reader *r)
{
	const struct report_csv_field *f = field(r, r->time);

	if (r->scale_ps > 0) {
		read_one(r);
		return;
	}
	r->scale_ps = unit_ps(f->text);
	if (r->scale_ps <= 0)
		wrong(r, f->col, "unknown unit '%s' of gpu__time_duration.sum: expected one of %s", f->text,
		      unit_names);
}

/* ---- perf stat -x, ---- */

/* VALUE,UNIT,EVENT,...; without a header. */
static bool is_perf(struct reader *r)
{
	static const char *const events[] = {"task-clock", "duration_time", "cpu-clock", "cycles", "context-switches"};
	double value;

	if (r->csv.count < 5 || (!number_read(r->csv.fields[0].text, false, &value) && r->csv.fields[0].text[0] != '<'))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
		if (g_str_has_prefix(r->csv.fields[2].text, events[i]))
			return true;
	return false;
}

/* The field before that one, of a metric; 0: there is none. */
static double metric_before(const struct reader *r, const char *what)
{
	const int at = report_csv_column(&r->csv, what);
	double value;

	return at > 0 && number_read(r->csv.fields[at - 1].text, false, &value) ? value : 0;
}

static void read_perf(struct reader *r)
{
	const char *event = r->csv.count > 2 ? r->csv.fields[2].text : "";
	const bool is_duration_time = g_str_has_prefix(event, "duration_time");
	double time, utilised;

	if (!is_duration_time && !g_str_has_prefix(event, "task-clock"))
		return;
	time = positive(r, 0, "the time");
	if (time > 0 && unit_ps(r->csv.fields[1].text) <= 0)
		wrong(r, field(r, 1)->col, "unknown unit '%s': expected one of %s", field(r, 1)->text, unit_names);
	time *= unit_ps(r->csv.fields[1].text);
	if (is_duration_time) {
		r->duration_ps = time;
		return;
	}
	utilised = metric_before(r, "CPUs utilized");
	if (utilised > 0)
		r->clock_ps = time / utilised;
}

/* One program, whose name perf does not write. */
static void end_perf(struct reader *r)
{
	const double time = r->duration_ps > 0 ? r->duration_ps : r->clock_ps;

	r->line = 1;
	if (time > 0)
		add(r, 1, "", 1, time);
	else
		wrong(r, 1, "neither duration_time nor task-clock with its CPUs utilized is among perf's events");
}

/* ---- bench/hardware ---- */

/* "ns", "GB/s", "Gop/s". */
double report_figure_ps(const char *unit, double value)
{
	static const char prefixes[] = "kMGT";
	const char *prefix = strchr(prefixes, *unit);
	const double time = unit_ps(unit);
	double per_s = value;

	if (time > 0)
		return value * time;
	if (!*unit || !g_str_has_suffix(unit, "/s") || !(value > 0))
		return 0;
	for (const char *p = prefixes; prefix && p <= prefix; p++)
		per_s *= 1e3;
	return 1e12 / per_s;
}

static void add_figure(struct reader *r, uint32_t col, uint32_t unit_col, const char *name, double value,
		       const char *unit)
{
	const json_t *row = g_hash_table_lookup(r->row_of, name);
	const double time = report_figure_ps(unit, value);

	/* Of whichever clock: the same figure stands there as a time, too. */
	if (!strcmp(unit, "cycles")) {
		r->left_out++;
		return;
	}
	if (row)
		wrong(r, col, "figure '%s' is on line %lld already", name,
		      (long long)json_integer_value(json_object_get(row, "line")));
	else if (time <= 0)
		wrong(r, unit_col, "unknown unit '%s': expected one of %s, or a rate as GB/s", unit, unit_names);
	else
		add(r, col, name, 1, time);
}

static bool is_figures(struct reader *r)
{
	r->name = report_csv_column(&r->csv, "figure");
	r->time = report_csv_column(&r->csv, "value");
	r->unit = report_csv_column(&r->csv, "unit");
	return r->name >= 0 && r->time >= 0 && r->unit >= 0;
}

static void read_figures(struct reader *r)
{
	const char *name = name_of(r);
	const double value = name ? positive(r, r->time, "the value") : 0;

	if (value > 0)
		add_figure(r, field(r, r->name)->col, field(r, r->unit)->col, name, value, field(r, r->unit)->text);
}

/* "hw-cpu: latency 5.13 ns", from anywhere in what it prints. */
static bool is_printed(struct reader *r)
{
	const char *line = r->lines[r->line - 1];

	return g_str_has_prefix(line, "hw-cpu: ") || g_str_has_prefix(line, "hw-gpu: ");
}

static void read_printed(struct reader *r)
{
	const char *line = r->lines[r->line - 1];
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	double value;

	if (!is_printed(r) || g_strv_length(words) != 4 || !number_read(words[2], false, &value))
		return;
	if (value <= 0)
		wrong(r, (uint32_t)(strlen(words[0]) + strlen(words[1])) + 3, "the value is %s",
		      value < 0 ? "negative" : "0");
	else
		add_figure(r, (uint32_t)strlen(words[0]) + 2, (uint32_t)(strlen(line) - strlen(words[3])) + 1, words[1],
			   value, words[3]);
}

/* ---- which of them ---- */

static const struct format formats[] = {
    {"a table of kernels", "kernels", is_kernels, read_one, false, false},
    {"a table of programs", "programs", is_programs, read_one, false, false},
    {"Nsight Systems, cuda_gpu_kern_sum", "kernels", is_nsys_sum, read_nsys_sum, true, false},
    {"Nsight Systems, cuda_gpu_trace", "kernels", is_nsys_trace, read_nsys_trace, true, false},
    {"Nsight Compute, details", "kernels", is_ncu_long, read_ncu_long, false, true},
    {"Nsight Compute, raw", "kernels", is_ncu_raw, read_ncu_raw, false, true},
    {"perf stat", "programs", is_perf, read_perf, false, false},
    {"bench/hardware, a table", "figures", is_figures, read_figures, false, false},
    {"bench/hardware", "figures", is_printed, read_printed, false, false},
};

/* Have its lines no columns of a header's? */
static bool is_without_header(const struct format *f)
{
	return f->is_header == is_perf || f->is_header == is_printed;
}

static bool is_noise(const char *line)
{
	return !*line || *line == '#' || g_str_has_prefix(line, "==");
}

static bool header_find(struct reader *r)
{
	for (size_t i = 0; !r->is_wrong && i < G_N_ELEMENTS(formats); i++) {
		r->name = r->time = r->count = r->id = r->metric = r->unit = -1;
		r->scale_ps = 0;
		if (!formats[i].is_header(r))
			continue;
		r->format = &formats[i];
		r->column_count = r->csv.count;
		return true;
	}
	return false;
}

/* Headers that lack something, and what. */
static const struct {
	const char *column, *lacks;
} incomplete[] = {
    {"kernel", "column of the time: expected time_ns, or another of ps, us, ms and s behind the '_'"},
    {"program", "column of the time: expected time_ms, or another of ps, ns, us and s behind the '_'"},
    {"Kernel Name", "gpu__time_duration.sum or Duration: ncu --csv --metrics gpu__time_duration.sum"},
    {"Name", "Total Time with Instances, nor a Duration: nsys stats --report cuda_gpu_kern_sum --format csv"},
    {"figure", "column value, or none unit"},
};

/* Nothing is a header: what is missing on the line that is most like one. */
static void complain(struct reader *r)
{
	for (r->line = 1; r->lines[r->line - 1]; r->line++) {
		if (is_noise(r->lines[r->line - 1]))
			continue;
		report_csv_split(&r->csv, r->lines[r->line - 1]);
		for (size_t i = 0; i < G_N_ELEMENTS(incomplete); i++) {
			const int at = report_csv_column(&r->csv, incomplete[i].column);

			if (at < 0)
				continue;
			wrong(r, field(r, at)->col, "beside '%s' there is no %s", incomplete[i].column,
			      incomplete[i].lacks);
			return;
		}
	}
	for (r->line = 1; r->lines[r->line - 1] && is_noise(r->lines[r->line - 1]);)
		r->line++;
	if (r->lines[r->line - 1]) {
		wrong(r, 1,
		      "no header that is known: expected one like kernel,time_us or program,time_ms, or a table of "
		      "Nsight Systems, Nsight Compute, perf stat -x, or bench/hardware");
		return;
	}
	r->line = 1;
	wrong(r, 1, "there is nothing in it: expected a header like kernel,time_us");
}

static void read_rows(struct reader *r)
{
	const bool is_without = is_without_header(r->format);

	for (r->line += !is_without; !r->is_wrong && r->lines[r->line - 1]; r->line++) {
		const char *line = r->lines[r->line - 1];

		if (!*line && r->format->ends_at_blank && json_array_size(r->rows))
			return;
		if (is_noise(line) || (r->format->is_quoted && *line != '"'))
			continue;
		report_csv_split(&r->csv, line);
		if (r->csv.open_col && r->format->is_header != is_printed)
			wrong(r, r->csv.open_col, "nothing closes this quote");
		else if (!is_without && r->csv.count != r->column_count)
			wrong(r, 1, "expected %u fields, as in the header, and found %u", r->column_count,
			      r->csv.count);
		else
			r->format->read_row(r);
	}
}

/* Not a text: the place of the first byte that none may have. */
static bool is_text(struct reader *r, const char *text, size_t length)
{
	const char *end, *line = text;

	if (g_utf8_validate(text, (gssize)length, &end))
		return true;
	r->line = 1;
	for (const char *p = text; p < end; p++)
		if (*p == '\n') {
			r->line++;
			line = p + 1;
		}
	wrong(r, (uint32_t)(end - line) + 1, "this is no text in UTF-8");
	return false;
}

static void lines_make(struct reader *r, const char *text)
{
	if (g_str_has_prefix(text, "\xef\xbb\xbf"))
		text += 3;
	r->lines = g_strsplit(text, "\n", -1);
	for (char **line = r->lines; *line; line++)
		g_strchomp(*line);
}

static void read_all(struct reader *r, const char *text)
{
	lines_make(r, text);
	for (r->line = 1; r->lines[r->line - 1] && !r->format && !r->is_wrong; r->line++) {
		if (is_noise(r->lines[r->line - 1]))
			continue;
		report_csv_split(&r->csv, r->lines[r->line - 1]);
		if (header_find(r))
			break;
	}
	if (r->is_wrong)
		return;
	if (!r->format) {
		complain(r);
		return;
	}
	const uint32_t header = r->line;

	read_rows(r);
	if (!r->is_wrong && r->format->is_header == is_perf)
		end_perf(r);
	r->line = header;
	if (!json_array_size(r->rows))
		wrong(r, 1, "there are none of the %s below this header that have a time", r->format->kind);
}

json_t *report_measured_read(const char *path, const char *text, size_t length, struct base_diag_list *diag)
{
	struct reader r = {.diag = diag, .path = path, .rows = json_array()};
	json_t *out = NULL;

	r.row_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	r.ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (is_text(&r, text, length)) {
		g_autofree char *whole = g_strndup(text, length);

		read_all(&r, whole);
	}
	if (!r.is_wrong)
		out = json_pack("{s:s, s:s, s:O, s:f}", "format", r.format->name, "kind", r.format->kind, "rows",
				r.rows, "left_out", r.left_out);
	report_csv_free(&r.csv);
	g_strfreev(r.lines);
	g_hash_table_unref(r.row_of);
	g_hash_table_unref(r.ids);
	json_decref(r.rows);
	return out;
}

json_t *report_measured_file(const char *path, struct base_diag_list *diag)
{
	g_autofree char *text = NULL;
	gsize length;
	g_autoptr(GError) error = NULL;

	if (g_file_get_contents(path, &text, &length, &error))
		return report_measured_read(path, text, length, diag);
	base_diag_error(diag, (struct base_place){0}, "%s", error->message);
	return NULL;
}
