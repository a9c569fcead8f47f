/* Compares the winners of a template's versions. */
#include "cli/versions.h"

#include "cli/memory.h"
#include "cli/record_columns.h"

#include <string.h>

void cli_versions_add(cli_versions *versions, const gputune_record *record, size_t row)
{
    if (!record->is_winner || !(record->median_ns > 0)) {
        return;
    }
    versions->items = cli_grow(versions->items, versions->count, sizeof *versions->items);
    versions->items[versions->count++] = (cli_version){
        .key = cli_format("%s|%s|%s|%d|%d|%s|%s|%s", record->kernel, record->sizes,
                          record->environment, (int)record->objective, (int)record->cache,
                          record->alignment, record->inputs, record->only ? record->only : ""),
        .median_ns = record->median_ns,
        .low_ns = record->low_ns > 0 ? record->low_ns : record->median_ns,
        .high_ns = record->high_ns > 0 ? record->high_ns : record->median_ns,
        .row = row,
        .outdated = record->outdated};
}

static void compare(cli_table *table, const cli_version *then, const cli_version *now)
{
    double ratio = then->median_ns / now->median_ns;
    const char *verdict = then->low_ns > now->high_ns   ? "faster: "
                          : then->high_ns < now->low_ns ? "slower: "
                                                        : "same: ";
    cli_set_text(cli_record_cell(table, then->row, "since"), cli_format("%s%.3fx", verdict, ratio));
    cli_set_number(cli_record_cell(table, then->row, "speedup_since"), ratio, true);
}

void cli_versions_compare(const cli_versions *versions, cli_table *table)
{
    const cli_version *items = versions->items;
    for (size_t i = 0; i < versions->count; i++) {
        for (size_t j = 0; j < versions->count && items[i].outdated; j++) {
            if (!items[j].outdated && strcmp(items[i].key, items[j].key) == 0) {
                compare(table, &items[i], &items[j]);
                break;
            }
        }
    }
}
