/* The text of --size and --only: names with lists of values. */
#pragma once

#include "cli/options.h"

#include <gputune.h>

/* One name with the values given for it. */
typedef struct cli_value_list {
    char *name;
    char **values; /* as written */
    size_t count;
} cli_value_list;

/* What all --size (or --only) options of a command line say, by name, in their order. */
typedef struct cli_values {
    cli_value_list *lists;
    size_t count;
} cli_values;

/* Parses "n=1M,16M" or several of them parted by blanks, and adds them to *out; `option` is named
 * in messages. Returns CLI_CONTINUE, or CLI_EXIT_USAGE after saying what is wrong. Does not crash
 * on any text. */
int cli_values_parse(cli_values *out, const char *option, const char *text);
/* The same for all texts of an option. */
int cli_values_read(cli_values *out, const char *option, const cli_list *texts);
const cli_value_list *cli_values_find(const cli_values *values, const char *name);

/* A size's number, as gt_read_int() has it. True and *out when it is one from 0 to 2^40; false with
 * why in *problem: "" for text that does not begin like a number (a type's name). */
bool cli_size_number(int64_t *out, const char **problem, const char *text);

/* One size: a number under its name, or a word in the form that gputune_size wants it. The name
 * must outlive *out. */
int cli_size_make(gputune_size *out, const char *name, const char *value);
/* The sizes of a record, "n=4 T=half". False after a message. */
bool cli_sizes_read(gputune_sizes *out, const char *text);
