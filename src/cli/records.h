/* Stored records as text and as data: columns of show, run and compare; the scenarios of
 * records; the worth of axes (why.c), the GPU's limits (limits.c); failures, and logs of the
 * compiler. */
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
    CLI_VIEW_ANY_GPU = CLI_VIEW << 5 /* added to a view to show the GPU, too */
};

cli_table cli_record_table(unsigned view);
/* Adds a row. The table's items begin with a gputune_record. */
void cli_record_add(cli_table *table, const gputune_record *record);

/* Returns "faster", "slower" or "same" by the interval of the paired speed-up, or "" without an
 * interval. */
const char *cli_verdict(const gputune_record *record);

/* A word of the column `flags`, and whether it is shown. */
typedef struct cli_flag {
    bool is_set;
    const char *word;
} cli_flag;
/* Returns the words that are set, separated by commas. */
char *cli_flags_text(const cli_flag *flags, size_t count);

/* ---- what is stored -------------------------------------------------------------------------- */

/* Copies of records in the order of gputune_records(), in which the records of a scenario follow
 * each other. Their texts are never NULL. */
typedef CLI_LIST(gputune_record) cli_records;

/* A callback for gputune_records(): adds a copy to `list`, a cli_records. Returns 0. */
int cli_records_add(void *list, const gputune_record *record);
/* Adds the filter's records of the kernels with a name or path, or of all kernels if `name` is
 * NULL, including kernels whose templates are gone. Sets filter->kernel. Returns CLI_CONTINUE, or
 * an exit code after a message. */
int cli_records_read(cli_records *out, gputune_record_filter *filter, const cli_session *session,
                     const char *name);

/* Prints the stored rules that the filter selects by kernel and GPU, as text or as JSON (rules.c).
 * Sets *count. Returns CLI_CONTINUE, or an exit code after a message. */
int cli_rules_print(size_t *count, const cli_session *session, const gputune_record_filter *filter);

/* The records of one scenario on one kind of GPU. */
typedef struct cli_measured {
    /* the trials; values that all trials share are read from the first one */
    const gputune_record *trials;
    size_t count;
    /* The winner of the whole space if it was tuned, otherwise the fastest winner. Without a
     * winner, its texts are "". */
    const gputune_record *winner;
    const char *standard; /* the default that the winner was compared with, or "" if unknown */
} cli_measured;

typedef CLI_LIST(cli_measured) cli_measured_list;

/* Groups the records by scenario. They must outlive the list. */
cli_measured_list cli_measured_of(const cli_records *records);

/* The columns that show the scenario, for rows that begin with a gputune_record. */
#define CLI_PLACE_COLUMNS                                                                          \
    CLI_FIELD(gputune_record, kernel, "", CLI_TEXT, CLI_IN_DATA),                                  \
        CLI_FIELD(gputune_record, sizes, "", CLI_TEXT, CLI_IN_DATA),                               \
        CLI_FIELD(gputune_record, objective, "", CLI_OBJECTIVE, CLI_IN_DATA),                      \
        CLI_FIELD(gputune_record, gpu, "", CLI_TEXT, CLI_IN_DATA),                                 \
        CLI_FIELD(gputune_record, environment, "", CLI_TEXT, CLI_IN_DATA),                         \
        CLI_FIELD(gputune_record, scenario, "", CLI_TEXT, CLI_IN_DATA)

/* Returns true if a trial was measured and is correct. */
bool cli_trial_has_time(const gputune_record *trial);
/* Returns true if a trial was left out of the race because its only launch was slow; median_ns is
 * the time of that launch.
 */
bool cli_trial_was_launched(const gputune_record *trial);
/* Returns true if the trial has the configuration of the winner. */
bool cli_measured_is_winner(const cli_measured *of, const gputune_record *trial);
/* Returns the best time of all trials, or INFINITY if none has a time. */
double cli_measured_best(const cli_measured *of);

typedef struct cli_entry {
    const gputune_record *trial;
    const size_t *choice; /* indices of the trial's values, by axis */
    size_t axis_count;
} cli_entry;

/* A scenario as axes and entries. It borrows from `from`, which must outlive it. */
typedef struct cli_apart {
    const cli_measured *from;
    /* the axes and the sizes that are words, each with the values that were tried, sorted */
    cli_values axes;
    size_t *choices;
    cli_entry *entries; /* one entry for each configuration, sorted by the axes */
    size_t entry_count;
    size_t unmeasured; /* number of trials that are not entries */
} cli_apart;

/* Splits a scenario into axes and entries. Entries are trials that were measured or failed; with
 * `launched`, also trials that were launched only once. */
void cli_take_apart(cli_apart *out, const cli_measured *from, bool launched);

/* ---- why the winners won (why.c), for `show --why` and `report` ----------------------------- */

typedef struct cli_why {
    cli_table values; /* the values of the axes, for programs */
    cli_table axes;   /* the table that is printed as text */
} cli_why;

cli_why cli_why_tables(void);
/* Adds the axes of a scenario and their values to the tables. The cost of a value is the best time
 * with that value over the best time of all, minus 1. Returns a summary: "120 variants, 1 of them
 * failed; one is left". */
char *cli_why_explain(cli_why *why, const cli_measured *from);
/* Writes `standing`, the records of winners and defaults, and then each scenario's limits and the
 * worth of its axes. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list,
                   const cli_session *session, cli_format_kind format);

/* ---- the limits of the GPU (limits.c) ------------------------------------------------------- */

/* Returns the source of a winner, or NULL if the template has changed since. */
char *cli_source_of(const cli_session *session, const gputune_record *winner);

/* The peak of the arithmetic units that a kernel uses. */
typedef struct cli_peak {
    const char *units;
    double per_s; /* operations per second, or 0 if unknown */
} cli_peak;

/* Returns the peak for a record. The units are tensor cores if the source (may be NULL) says so, or
 * if the kernel is faster than the FP32 units. */
cli_peak cli_peak_of(const gputune_record *record, const char *source);

/* Returns a line that describes the code of a winner, how near it is to the GPU's limits, and how
 * much could still be gained: "32 registers, occupancy 100%; memory-bound: 95.0% of a copy's
 * bandwidth; ...".
 */
char *cli_hardware_text(const gputune_record *winner, const char *source);

/* ---- failures -------------------------------------------------------------------------------- */

/* Returns true if the status ("wrong", "compile", ...) means that the trial failed. */
bool cli_is_failure(const char *status);
/* Prints for each scenario how many variants failed, the commonest reason, and whether the default
 * failed. `info` (may be NULL) describes the tuning; failures beyond its number are from other
 * tunings. */
void cli_failures_print(const cli_records *records, const gputune_info *info);
/* Prints once for each kernel the scalars of its winner that were verified with one value. */
void cli_single_print(const cli_records *records);

/* Returns the exit code of a tuning that has a winner: the code for the failure of the default, or
 * CLI_EXIT_WRONG if more than half of its variants are wrong. Sets *of_default to the status of a
 * default that failed, otherwise to "". */
int cli_failures_code(const char **of_default, const cli_records *records,
                      const gputune_info *info);

/* With --verbose, compiles a configuration (NULL: the default) again to show the whole log of the
 * compiler, because messages have only its first line. */
void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration);
/* Does the same for the variant of the scenario that failed to compile last, according to the
 * database. */
void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario);
