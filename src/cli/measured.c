/* Stored trials by scenario, and a scenario taken apart into axes with their values. */
#include "cli/measured.h"

#include "cli/memory.h"
#include "cli/record_columns.h"
#include "cli/units.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static cli_measured *find_or_add(cli_measured_list *list, const gputune_record *record)
{
    for (size_t i = list->count; i-- > 0;) { /* records of a scenario mostly come in a row */
        if (cli_record_is_alike(&list->items[i].shared, record)) {
            return &list->items[i];
        }
    }
    cli_push(list->items, list->count,
             (cli_measured){.shared = cli_record_copy(record, NULL),
                            .winner = cli_record_copy(&(gputune_record){.version = 0}, NULL)});
    return &list->items[list->count - 1];
}

/* A scenario has a winner for each space that was tuned. */
static void note_winner(cli_measured *one, const gputune_record *record)
{
    const gputune_record *best = &one->winner;
    bool whole = !record->only[0];
    bool better =
        !best->is_winner || (whole == !best->only[0] ? record->median_ns < best->median_ns : whole);
    if (record->is_winner && better) {
        one->winner = *record;
    }
}

int cli_measured_add(void *list, const gputune_record *record)
{
    cli_measured *one = find_or_add(list, record);
    const gputune_record *last = one->count ? &one->trials[one->count - 1] : &one->shared;
    const gputune_record copy = cli_record_copy(record, last);
    note_winner(one, &copy);
    cli_push(one->trials, one->count, copy);
    return 0;
}

bool cli_trial_has_time(const gputune_record *trial)
{
    return trial->median_ns > 0 &&
           (strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0);
}

bool cli_measured_is_winner(const cli_measured *of, const gputune_record *trial)
{
    return strcmp(of->winner.configuration, trial->configuration) == 0;
}

double cli_measured_best(const cli_measured *of)
{
    double best = INFINITY;
    for (size_t i = 0; i < of->count; i++) {
        best = cli_trial_has_time(&of->trials[i]) ? fmin(best, of->trials[i].median_ns) : best;
    }
    return best;
}

/* ---- taken apart ---- */

/* Adds the values of "A=1 B=2" to their axes. `words`: only those that are no numbers. */
static void add_values(cli_apart *data, const char *text, bool words)
{
    char *name, *value;
    while (cli_next_pair(&text, &name, &value)) {
        int64_t number;
        if (words && gt_read_int(&number, value) == GT_INT_READ) {
            continue;
        }
        cli_value_list *axis = cli_values_named(&data->axes, name);
        if (cli_value_index(axis, value) == axis->count) {
            cli_push(axis->values, axis->count, value);
        }
    }
}

/* Numbers by value, before words by their letters. */
static int compare_values(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    int64_t x = 0, y = 0;
    bool a_number = gt_read_int(&x, a) == GT_INT_READ, b_number = gt_read_int(&y, b) == GT_INT_READ;
    if (a_number != b_number) {
        return b_number - a_number;
    }
    return a_number && x != y ? (x > y) - (x < y) : strcmp(a, b);
}

/* Adds a trial. Where its configuration lacks an axis, because it is of another version of the
 * template, the trial gets the first value of that axis. */
static void place_trial(cli_apart *data, const gputune_record *trial)
{
    const char *text = trial->configuration;
    char *name, *value;
    size_t index = data->entry_count++, *choice = data->choices + index * data->axes.count;
    void *mark = cli_mark();
    while (cli_next_pair(&text, &name, &value)) {
        const cli_value_list *axis = cli_values_find(&data->axes, name);
        choice[axis - data->axes.lists] = cli_value_index(axis, value);
    }
    cli_release(mark);
    data->entries[index] = (cli_entry){trial, choice, data->axes.count};
}

/* What was not proved is neither right nor wrong, for which the formats have no word; nor have they
 * one for what was proved and not measured. */
static bool has_outcome(const gputune_record *trial)
{
    if (strcmp(trial->status, "unproved") == 0 || strcmp(trial->status, "proved") == 0) {
        return false;
    }
    bool right = strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0;
    return !right || trial->median_ns > 0;
}

/* Orders entries by their values on the axes, and those of the same configuration with the newest
 * first. */
static int compare_entries(const void *left, const void *right)
{
    const cli_entry *a = left, *b = right;
    for (size_t i = 0; i < a->axis_count; i++) {
        if (a->choice[i] != b->choice[i]) {
            return a->choice[i] < b->choice[i] ? -1 : 1;
        }
    }
    return strcmp(b->trial->created, a->trial->created);
}

static void drop_doubles(cli_apart *data)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->entry_count; i++) {
        const size_t *choice = data->entries[i].choice, bytes = data->axes.count * sizeof *choice;
        if (!kept || memcmp(data->entries[kept - 1].choice, choice, bytes) != 0) {
            data->entries[kept++] = data->entries[i];
        }
    }
    data->entry_count = kept;
}

void cli_take_apart(cli_apart *out, const cli_measured *from)
{
    *out = (cli_apart){.from = from};
    for (size_t i = 0; i < from->count; i++) {
        if (has_outcome(&from->trials[i])) {
            add_values(out, from->trials[i].configuration, false);
        }
    }
    /* a size that is a word (a type) has no place among the sizes: it is an axis of one value */
    add_values(out, from->shared.sizes, true);
    for (size_t i = 0; i < out->axes.count; i++) {
        qsort(out->axes.lists[i].values, out->axes.lists[i].count, sizeof(char *), compare_values);
    }
    out->choices = cli_allocate(from->count * out->axes.count + 1, sizeof *out->choices);
    out->entries = cli_allocate(from->count + 1, sizeof *out->entries);
    for (size_t i = 0; i < from->count; i++) {
        if (has_outcome(&from->trials[i])) {
            place_trial(out, &from->trials[i]);
        } else {
            out->unmeasured++;
        }
    }
    qsort(out->entries, out->entry_count, sizeof *out->entries, compare_entries);
    drop_doubles(out);
}
