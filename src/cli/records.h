/* Stored records as text and as data: columns, scenarios, the effect of each axis (why.c), the
 * GPU's limits (limits.c), failures, and compiler logs. */
#pragma once

#include "cli/scenarios.h"
#include "cli/table.h"

#include <gputune_tools.h>

enum {
    CLI_VIEW_WINNERS = CLI_VIEW,
    CLI_VIEW_TRIALS = CLI_VIEW << 1,
    CLI_VIEW_RUN = CLI_VIEW << 2,
    CLI_VIEW_WHY = CLI_VIEW << 3,
    CLI_VIEW_ANY_GPU = CLI_VIEW << 4 /* adds the column GPU to the other views */
};

cli_table cli_record_table(unsigned view);
/* Adds a row to a table whose items begin with a gputune_record. */
void cli_record_add(cli_table *table, const gputune_record *record);

/* A word that the column `flags` shows if `is_set` is true. */
typedef struct cli_flag {
    bool is_set;
    const char *word;
} cli_flag;
/* Returns the words whose `is_set` is true, separated by commas. */
char *cli_flags_text(const cli_flag *flags, size_t count);

/* ---- stored records -------------------------------------------------------------------------- */

/* Copies of records in the order of gputune_records(), so the records of a scenario are adjacent.
 * Their texts are never NULL. */
typedef CLI_LIST(gputune_record) cli_records;

/* A callback for gputune_records(). Adds a copy of the record to `list`, a cli_records. */
int cli_records_add(void *list, const gputune_record *record);
/* Adds the records that the filter selects. `name` is a kernel's name or path; NULL selects all
 * kernels, including those without a template. Sets filter->kernel. */
int cli_records_read(cli_records *out, gputune_record_filter *filter, const cli_session *session,
                     const char *name);

/* Prints the stored rules of the listed kernels, for the filter's sizes and GPU, as text, JSON or
 * CSV. NULL in the list means all kernels. Unless `texts` is NULL, prints only the rules that have
 * these texts, one for each kernel. Sets *count to the number of rules. */
int cli_rules_print(size_t *count, const cli_session *session, gputune_record_filter filter,
                    const cli_list *kernels, const cli_list *texts);

/* The records of one scenario on one kind of GPU. */
typedef struct cli_measured {
    /* the trials; members that are equal in all trials are read from the first trial */
    const gputune_record *trials;
    size_t count;
    /* The winner of the whole space, otherwise the fastest winner; its texts may be "". */
    const gputune_record *winner;
    const char *standard; /* the default that the winner was compared with; "": unknown */
} cli_measured;

typedef CLI_LIST(cli_measured) cli_measured_list;

/* Groups the records by scenario. The records must outlive the list. */
cli_measured_list cli_measured_of(const cli_records *records);

/* The columns that describe a scenario. The rows must begin with a gputune_record. */
#define CLI_PLACE_COLUMNS                                                                          \
    CLI_FIELD(gputune_record, kernel, "", CLI_TEXT, CLI_IN_DATA),                                  \
        CLI_FIELD(gputune_record, sizes, "", CLI_TEXT, CLI_IN_DATA),                               \
        CLI_FIELD(gputune_record, objective, "", CLI_OBJECTIVE, CLI_IN_DATA),                      \
        CLI_FIELD(gputune_record, gpu, "", CLI_TEXT, CLI_IN_DATA),                                 \
        CLI_FIELD(gputune_record, environment, "", CLI_TEXT, CLI_IN_DATA),                         \
        CLI_FIELD(gputune_record, scenario, "", CLI_TEXT, CLI_IN_DATA)

/* Returns true if a trial was measured and is correct. */
bool cli_trial_has_time(const gputune_record *trial);
/* Returns true if a trial was launched once and then excluded from the race because it was slow.
 * Its median_ns is the time of that launch. */
bool cli_trial_was_launched(const gputune_record *trial);

typedef struct cli_entry {
    const gputune_record *trial;
    const size_t *choice; /* indices of the trial's values, in the order of the axes */
    size_t axis_count;
} cli_entry;

/* The trials of a scenario as a table: the axes with their values, and an entry for each
 * configuration. `from` must outlive the struct. */
typedef struct cli_apart {
    const cli_measured *from;
    /* the axes and the non-numeric sizes, each with the sorted values that were tried */
    cli_values axes;
    size_t *choices;
    cli_entry *entries; /* one entry per configuration, sorted by values */
    size_t entry_count;
    size_t unmeasured; /* number of trials without an entry */
} cli_apart;

/* Splits a scenario into axes and entries. Every trial that was measured or failed becomes an
 * entry. If `launched` is true, trials that were launched only once become entries too. */
void cli_take_apart(cli_apart *out, const cli_measured *from, bool launched);

/* ---- effect of each axis (why.c) ------------------------------------------------------------- */

typedef struct cli_why {
    cli_table values;
    cli_table axes;
} cli_why;

cli_why cli_why_tables(void);
/* Adds the axes of a scenario and their values to the tables. The cost of a value is t / best - 1,
 * where t is the best time with this value and best is the best time of all. Returns a summary such
 * as "120 variants, 3 failed or were too slow to verify; ...". */
char *cli_why_explain(cli_why *why, const cli_measured *from);
/* Writes the table of winners and defaults, then the effect of each axis in each scenario. As text,
 * also writes how near each winner is to the limits of its GPU. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list);

/* ---- limits of the GPU (limits.c) ------------------------------------------------------------ */

/* The peak rate of arithmetic units. */
typedef struct cli_peak {
    const char *units;
    double per_s;
} cli_peak;

/* Returns the peak rate of the FP32 units, or of the tensor cores if the kernel is faster than the
 * FP32 units can be. It is not known which units a slower kernel uses. */
cli_peak cli_peak_of(const gputune_record *record);

/* Describes the code of a winner, how near it is to the GPU's limits, and how much could still be
 * gained. Returns a line such as "32 registers, occupancy 100%; memory-bound: 95.0% of a copy's
 * bandwidth; ...". */
char *cli_hardware_text(const gputune_record *winner);

/* ---- failures -------------------------------------------------------------------------------- */

/* Prints for each scenario the number of failed variants, the most frequent reason, and whether the
 * default failed. `info` describes the tuning and may be NULL. Failures that `info` does not count
 * are from earlier tunings. */
void cli_failures_print(const cli_records *records, const gputune_info *info);
/* Prints, once per kernel, the scalar arguments for which only one value was verified. */
void cli_single_print(const cli_records *records);

/* Returns the exit code of a tuning that has a winner. If the default failed, returns the code of
 * its status. Otherwise returns CLI_EXIT_WRONG if more than half of the variants are wrong. Sets
 * *of_default to the default's status if the default failed, otherwise to "". */
int cli_failures_code(const char **of_default, const cli_records *records,
                      const gputune_info *info);

/* With --verbose, compiles a configuration (NULL: the default) again to show the compiler's whole
 * log, because messages contain only its first line. */
void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration);
/* With --verbose, shows the compiler's log of the stored variant that failed most recently. */
void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario);
