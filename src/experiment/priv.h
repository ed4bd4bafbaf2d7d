/* priv.h - expressions as trees, between what reads and what computes them. */
#ifndef STRATA_EXPERIMENT_PRIV_H
#define STRATA_EXPERIMENT_PRIV_H

#include "experiment/expression.h"

enum experiment_kind {
	NODE_NUMBER,   /* number */
	NODE_TEXT,     /* text */
	NODE_NAME,     /* text: a run, a definition, a parameter or `none` */
	NODE_CALL,     /* text(parts) */
	NODE_LIST,     /* [parts] */
	NODE_FIELD,    /* parts[0] [text] */
	NODE_NEGATE,   /* - parts[0] */
	NODE_COMPUTE,  /* parts[0] op parts[1]: + - * / */
	NODE_RELATION, /* parts[0] relation parts[1], within parts[2] */
};

struct experiment_expression {
	enum experiment_kind kind;
	struct base_place at;
	double number;
	char *text;
	char op;
	enum experiment_relation relation;
	GPtrArray *parts; /* struct experiment_expression *; NULL: it has none */
};

struct experiment_definition {
	GPtrArray *parameters; /* of char * */
	struct experiment_expression *body; /* NULL after a message */
};

struct experiment_names {
	const struct experiment *runs;
	const struct experiment_model *models; /* NULL: none */
	const char *dir;	 /* where their files are */
	GHashTable *indices;	 /* of a run + 1, by its name */
	GHashTable *definitions; /* struct experiment_definition *, by name */
	GPtrArray *expressions;	 /* all nodes */
};

/* Is it a function that every file has, or one of its models? */
bool experiment_is_function(const struct experiment_names *names, const char *name);

#endif
