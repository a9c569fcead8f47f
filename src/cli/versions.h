/* Winners of a template's earlier versions beside those of the version at hand: `show --history`.
 */
#ifndef CLI_VERSIONS_H
#define CLI_VERSIONS_H

#include "cli/table.h"

#include <gputune.h>

typedef struct cli_version {
    const char *key; /* what is asked, whatever the version */
    double median_ns, low_ns, high_ns;
    size_t row;
    bool outdated;
} cli_version;

typedef struct cli_versions {
    cli_version *items;
    size_t count;
} cli_versions;

/* Notes a record that is the table's row; what is no winner is left out. */
void cli_versions_add(cli_versions *versions, const gputune_record *record, size_t row);
/* Says in the rows of outdated winners how much faster or slower the version at hand is, the same
 * where their intervals overlap; nothing where it has no winner yet. Rows are as they were added.
 */
void cli_versions_compare(const cli_versions *versions, cli_table *table);

#endif
