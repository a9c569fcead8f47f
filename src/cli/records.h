/* Stored records as the command line shows them: the one schema of measured configurations, which
 * `show`, `show --all`, `run` and `compare` print in tables of different columns; what is stored,
 * by scenario; failures, counted, with the compiler's log; and what the axes are worth (why.c). */
#pragma once

#include "cli/scenarios.h"
#include "cli/table.h"

#include <gputune_tools.h>

enum {
    CLI_VIEW_WINNERS = CLI_VIEW,
    CLI_VIEW_TRIALS = CLI_VIEW << 1,
    CLI_VIEW_RUN = CLI_VIEW << 2,
    CLI_VIEW_COMPARE = CLI_VIEW << 3,
    CLI_VIEW_WHY = CLI_VIEW << 4,
    CLI_VIEW_ANY_GPU = CLI_VIEW << 5, /* joined to another view: adds the GPU */
    CLI_VIEW_PLACE = CLI_VIEW << 6,   /* adds where and when the record was measured */
    CLI_VIEW_HISTORY =
        CLI_VIEW << 7 /* joined to another view: adds how it compares with the version at hand */
};

/* An empty table of gputune_record. */
cli_table cli_record_table(unsigned view);
/* Adds a row. The items of the table's rows begin with a gputune_record. */
void cli_record_add(cli_table *table, const gputune_record *record);
/* Says how outdated winners compare with the present version's, if that is in the table. */
void cli_record_compare(cli_table *table);

/* "faster", "slower" or "same": how the record compares with the first, by its paired interval; ""
 * without an interval. */
const char *cli_verdict(const gputune_record *record);

/* ---- what is stored -------------------------------------------------------------------------- */

/* Copies of records, in the order of gputune_records(): those of a scenario come in a row. Their
 * texts are "" in place of NULL. */
typedef CLI_LIST(gputune_record) cli_records;

/* A callback for gputune_records(): adds a copy to `list`, a cli_records. Returns 0. */
int cli_records_add(void *list, const gputune_record *record);
/* Adds the filter's records of the kernels that a name stands for, also those of templates that are
 * gone; of all kernels where `name` is NULL. Returns CLI_CONTINUE, also where nothing is stored, or
 * an exit code after printing what is wrong. The filter's kernel is `name` then. */
int cli_records_read(cli_records *out, gputune_record_filter *filter, const cli_session *session,
                     const char *name);

/* The records of one scenario on one kind of GPU. */
typedef struct cli_measured {
    const gputune_record *trials; /* the first one tells what all have in common, too */
    size_t count;
    /* The winner of the whole space, where that was tuned, else the fastest winner. Without one its
     * texts are "". */
    const gputune_record *winner;
    const char *standard; /* the default, which the winner was compared with; "": not known */
} cli_measured;

typedef CLI_LIST(cli_measured) cli_measured_list;

/* The scenarios of the records, which must outlive the list. */
cli_measured_list cli_measured_of(const cli_records *records);

/* Which scenario a row is of, where the row begins with a gputune_record. */
#define CLI_PLACE_COLUMNS                                                                          \
    CLI_FIELD(gputune_record, kernel, "", CLI_TEXT, CLI_IN_DATA),                                  \
        CLI_FIELD(gputune_record, sizes, "", CLI_TEXT, CLI_IN_DATA),                               \
        CLI_FIELD(gputune_record, objective, "", CLI_OBJECTIVE, CLI_IN_DATA),                      \
        CLI_FIELD(gputune_record, gpu, "", CLI_TEXT, CLI_IN_DATA),                                 \
        CLI_FIELD(gputune_record, environment, "", CLI_TEXT, CLI_IN_DATA),                         \
        CLI_FIELD(gputune_record, scenario, "", CLI_TEXT, CLI_IN_DATA)

/* Returns true if a trial was measured and is correct. */
bool cli_trial_has_time(const gputune_record *trial);
/* Returns true if a trial was left out because its only launch was slow; median_ns is that launch.
 */
bool cli_trial_was_launched(const gputune_record *trial);
/* Returns true if a trial is the winner's. */
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
    size_t unmeasured; /* trials that are no entries */
} cli_apart;

/* Takes the scenario `from` apart into axes and entries: trials that were measured or failed, and
 * if `launched` also those that were launched once. */
void cli_take_apart(cli_apart *out, const cli_measured *from, bool launched);

/* ---- why the winners won (why.c), for `show --why` and `report` ----------------------------- */

/* The worth of each axis. */
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
 * loses at the best, whichever is less. Returns a summary: "120 variants, 1 of them failed or
 * slower and not proved; one is left". */
char *cli_why_explain(cli_why *why, const cli_measured *from);
/* Writes `standing`, the records of winners and defaults, and then for each scenario in the list
 * how much its axes matter. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list, cli_format_kind format,
                   FILE *file);

/* Returns a line that describes the code of a winner and how near it is to the GPU's limit:
 * "128-bit loads, 32 registers, occupancy 100%; 95.0% of a copy's bandwidth: ...". */
char *cli_hardware_text(const gputune_record *winner);

/* ---- failures -------------------------------------------------------------------------------- */

/* Returns true if a trial with this status ("wrong", "compile", ...) is a failure, which means that
 * it was not measured. */
bool cli_is_failure(const char *status);
/* Prints a note for each scenario with failures: how many, and the commonest reason; and one if the
 * default failed. `info` (of the tuning, or NULL) tells which are other tunings'. */
void cli_failures_say(const cli_records *records, const gputune_info *info);
/* Says once of each kernel which scalars its winner was proved with a single value of. */
void cli_single_say(const cli_records *records);

/* Returns the exit code of a tuning that has a winner: the code for the default's failure if the
 * default failed, and CLI_EXIT_WRONG if more than half of the variants that the tuning tried are
 * wrong. Sets *of_default to the status of a default that failed, otherwise to "". */
int cli_failures_code(const char **of_default, const cli_records *records,
                      const gputune_info *info);

/* Compiles the configuration (NULL: the default) of a kernel again, and shows the compiler's log if
 * that fails. Does nothing without --verbose; a tuning's messages have only the first line. */
void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration);
/* The same for the scenario's variant that failed to compile last, according to the database. */
void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario);
