/* The one schema of measured configurations: `show`, `show --all`, `run` and `compare` print the
 * same rows and differ in the columns of their tables. */
#pragma once

#include "cli/table.h"

#include <gputune.h>

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
gputune_record *cli_record_at(const cli_table *table, size_t row);
/* Says in the rows of outdated winners how much faster or slower the template's version at hand is;
 * nothing where that has no winner in the table. */
void cli_record_compare(cli_table *table);

/* A record that outlives the callback which gives it: its texts are copies, "" in place of NULL.
 * Copies share the texts that are equal to those of `like`, a copy made before, or NULL. */
gputune_record cli_record_copy(const gputune_record *record, const gputune_record *like);
/* Whether two records are of one scenario, on one kind of GPU. */
bool cli_record_is_alike(const gputune_record *a, const gputune_record *b);

/* "faster", "slower" or "same": how the record compares with the first, by its paired interval; ""
 * without an interval. */
const char *cli_verdict(const gputune_record *record);
