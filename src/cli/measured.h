/* What is stored by scenario: the trials of one kernel at one problem, under one objective, on one
 * kind of GPU; a scenario taken apart, for `export`; and what its axes are worth. */
#pragma once

#include "cli/catalogue.h"
#include "cli/table.h"

typedef struct cli_measured {
    gputune_record shared; /* one of its trials, for what all of them have in common */
    /* The winner of the whole space, where that was tuned, else the fastest winner. Without one its
     * texts are "". */
    gputune_record winner;
    gputune_record *trials; /* in the order of gputune_records() */
    size_t count;
} cli_measured;

/* Which scenario a row is of, where the row begins with a gputune_record. */
#define CLI_PLACE_COLUMNS                                                                          \
    CLI_FIELD(gputune_record, kernel, "", CLI_TEXT, CLI_IN_DATA),                                  \
        CLI_FIELD(gputune_record, sizes, "", CLI_TEXT, CLI_IN_DATA),                               \
        CLI_FIELD(gputune_record, objective, "", CLI_OBJECTIVE, CLI_IN_DATA),                      \
        CLI_FIELD(gputune_record, gpu, "", CLI_TEXT, CLI_IN_DATA),                                 \
        CLI_FIELD(gputune_record, environment, "", CLI_TEXT, CLI_IN_DATA),                         \
        CLI_FIELD(gputune_record, scenario, "", CLI_TEXT, CLI_IN_DATA)

typedef struct cli_measured_list {
    cli_measured *items;
    size_t count;
} cli_measured_list;

/* A callback for gputune_records(): adds the trial to `list`, a cli_measured_list. Returns 0. */
int cli_measured_add(void *list, const gputune_record *record);

/* Whether a trial was measured and is right. */
bool cli_trial_has_time(const gputune_record *trial);
/* Whether a trial is the winner's. */
bool cli_measured_is_winner(const cli_measured *of, const gputune_record *trial);
/* The best time of all trials; INFINITY without one. */
double cli_measured_best(const cli_measured *of);

typedef struct cli_entry {
    const gputune_record *trial;
    const size_t *choice; /* the index of the value on each axis */
    size_t axis_count;
} cli_entry;

/* A scenario taken apart. It borrows texts and trials from `from`, which must outlive it. */
typedef struct cli_apart {
    const cli_measured *from;
    /* and sizes whose values are words, with the values that were tried, in order */
    cli_values axes;
    size_t *choices;
    cli_entry *entries; /* each configuration once, in the order of the axes */
    size_t entry_count;
    size_t unmeasured; /* trials without a time that did not fail: left out */
} cli_apart;

/* Takes the scenario `from` apart into axes and entries. */
void cli_take_apart(cli_apart *out, const cli_measured *from);

/* ---- why the winners won (why.c), for `show --why` and `report` ----------------------------- */

/* What each axis is worth. */
typedef struct cli_why {
    cli_table values; /* of the axes, for programs */
    cli_table axes;   /* for people */
    cli_table pairs;  /* of axes that are better chosen together */
} cli_why;

/* Empty tables. */
cli_why cli_why_tables(void);
/* Adds the axes of a scenario and their values to the tables. The cost of a value is the best time
 * with the axis held at it over the best of all, minus 1; a trial that failed or was not proved has
 * no time. Adds the pairs of axes, at most three, where choosing one while the other is held at
 * another value than the best costs 1% or more: the cost is what the choice gains there, or what it
 * loses at the best, whichever is less. */
void cli_why_explain(cli_why *why, const cli_apart *data);
/* "120 variants, 1 of them failed or slower and not proved; one is left" */
char *cli_why_summary(const cli_apart *data);
/* Writes `standing`, the records of winners and defaults, and then for each scenario in the list
 * how much its axes matter. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list, cli_format_kind format,
                   FILE *file);
