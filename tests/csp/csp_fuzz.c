/* Mutants of the shipped programs: each is assembled or refused with messages; those that assemble run for a while. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csp/machine.h"

static const char *const programs[] = {"fft8.csp", "fft2.csp", "fft2d.csp", "fir.csp",  "corr.csp",    "node.csp",
				       "beam.csp", "fft8.inc", "corr.inc",  "chan.inc", "gridding.csp"};
static const char alphabet[] = "0123456789[]:,.;+-*/%() \tirsvxMNc_\n\"";

static void mutate(GString *text, GRand *random)
{
	const int32_t count = g_rand_int_range(random, 1, 6);

	for (int32_t i = 0; i < count && text->len; i++) {
		const gssize at = g_rand_int_range(random, 0, (gint32)text->len);
		const gssize most = g_rand_int_range(random, 1, 12), bytes = MIN(most, (gssize)text->len - at);

		switch (g_rand_int_range(random, 0, 5)) {
		case 0:
			text->str[at] = alphabet[g_rand_int_range(random, 0, sizeof(alphabet) - 1)];
			break;
		case 1:
			g_string_erase(text, at, bytes);
			break;
		case 2:
			g_string_insert_c(text, at, alphabet[g_rand_int_range(random, 0, sizeof(alphabet) - 1)]);
			break;
		case 3: {
			g_autofree char *part = g_strndup(text->str + at, (size_t)bytes);

			g_string_insert(text, g_rand_int_range(random, 0, (gint32)text->len), part);
			break;
		}
		default:
			text->str[at] = (char)g_rand_int_range(random, 1, 256);
		}
	}
}

static bool has_place(const struct base_diag_list *diag)
{
	return diag->first && !strncmp(diag->first->text, PROGRAMS_DIR "/", sizeof(PROGRAMS_DIR));
}

static void run(const struct csp_config *config, const struct csp_program *p, struct base_diag_list *diag)
{
	struct csp_machine *m = csp_machine_new(config, p, CSP_ACCOUNT, diag);
	struct csp_result r;

	if (m)
		csp_machine_run(m, &r, diag);
	csp_machine_free(m);
}

int main(int argc, char **argv)
{
	const uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
	GRand *random = g_rand_new_with_seed(1);
	uint32_t assembled = 0;
	struct csp_config config;
	char *texts[G_N_ELEMENTS(programs)];

	csp_config_defaults(&config);
	config.csp.core_count = 3;
	config.csp.limit_cycles = 2000;
	for (uint32_t i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *path = g_build_filename(PROGRAMS_DIR, programs[i], NULL);

		if (!g_file_get_contents(path, &texts[i], NULL, NULL))
			return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < count; i++) {
		GString *text = g_string_new(texts[i % G_N_ELEMENTS(programs)]);
		struct base_diag_list diag;
		struct csp_program *p;

		mutate(text, random);
		base_diag_init(&diag);
		p = csp_assemble(text->str, PROGRAMS_DIR "/mutant", &config, NULL, 0, &diag);
		if (!p && !has_place(&diag)) {
			fprintf(stderr, "mutant %u is refused without a message at its place:\n%s", i, text->str);
			return EXIT_FAILURE;
		}
		assembled += p != NULL;
		if (p && i % 20 == 0)
			run(&config, p, &diag);
		csp_program_free(p);
		base_diag_free(&diag);
		g_string_free(text, TRUE);
	}
	for (uint32_t i = 0; i < G_N_ELEMENTS(programs); i++)
		g_free(texts[i]);
	g_rand_free(random);
	printf("%u mutants, %u assembled\n", count, assembled);
	return EXIT_SUCCESS;
}
