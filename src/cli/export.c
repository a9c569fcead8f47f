/* Takes a scenario's trials apart into axes with their values. */
#include "cli/export.h"

#include "cli/console.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Calls `each` for the pairs of "A=1 B=2". */
static void each_pair(const char *text,
                      void (*each)(void *user, const char *name, const char *value), void *user)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " "), name_length = strcspn(text, "= ");
        size_t skip = name_length < length ? name_length + 1 : length;
        char *name = cli_copy_part(text, name_length);
        char *value = cli_copy_part(text + skip, length - skip);
        each(user, name, value);
        text += length;
    }
}

static bool read_integer(int64_t *out, const char *text)
{
    return gt_read_int(out, text) == GT_INT_READ;
}

static cli_export_axis *find_axis(const cli_export *data, const char *name)
{
    for (size_t i = 0; i < data->axis_count; i++) {
        if (strcmp(data->axes[i].name, name) == 0) {
            return &data->axes[i];
        }
    }
    return NULL;
}

static size_t find_value(const cli_export_axis *axis, const char *value)
{
    size_t i = 0;
    while (i < axis->count && strcmp(axis->values[i], value) != 0) {
        i++;
    }
    return i;
}

static void add_value(void *user, const char *name, const char *value)
{
    cli_export *data = user;
    cli_export_axis *axis = find_axis(data, name);
    if (!axis) {
        data->axes = cli_grow(data->axes, data->axis_count, sizeof *data->axes);
        axis = &data->axes[data->axis_count++];
        *axis = (cli_export_axis){.name = cli_copy(name)};
    }
    int64_t number;
    if (find_value(axis, value) == axis->count) {
        axis->values = cli_grow(axis->values, axis->count, sizeof *axis->values);
        axis->values[axis->count++] = cli_copy(value);
        axis->words |= !read_integer(&number, value);
    }
}

/* A size that is a word (a type) has no place among the sizes: it is an axis of one value. */
static void add_word(void *user, const char *name, const char *value)
{
    int64_t number;
    if (!read_integer(&number, value)) {
        add_value(user, name, value);
    }
}

/* Numbers by value, before words by their letters. */
static int compare_values(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    int64_t x = 0, y = 0;
    bool a_number = read_integer(&x, a), b_number = read_integer(&y, b);
    if (a_number != b_number) {
        return b_number - a_number;
    }
    return a_number && x != y ? (x > y) - (x < y) : strcmp(a, b);
}

typedef struct placing {
    const cli_export *data;
    size_t *choice;
} placing;

static void place(void *user, const char *name, const char *value)
{
    const placing *at = user;
    const cli_export_axis *axis = find_axis(at->data, name);
    at->choice[axis - at->data->axes] = find_value(axis, value);
}

/* What lacks an axis (of another version of the template) has its first value. */
static void place_trial(cli_export *data, const cli_trial *trial)
{
    size_t index = data->entry_count++;
    placing at = {data, data->choices + index * data->axis_count};
    each_pair(trial->configuration, place, &at);
    data->entries[index] = (cli_export_entry){trial, at.choice, data->axis_count};
}

/* What was not proved is neither right nor wrong, for which the formats have no word; nor have they
 * one for what was proved and not measured. */
static bool has_outcome(const cli_trial *trial)
{
    if (strcmp(trial->status, "unproved") == 0 || strcmp(trial->status, "proved") == 0) {
        return false;
    }
    bool right = strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0;
    return !right || trial->median_ns > 0;
}

/* In the order of the axes; of the same configuration, the newest first. */
static int compare_entries(const void *left, const void *right)
{
    const cli_export_entry *a = left, *b = right;
    for (size_t i = 0; i < a->axis_count; i++) {
        if (a->choice[i] != b->choice[i]) {
            return a->choice[i] < b->choice[i] ? -1 : 1;
        }
    }
    return strcmp(b->trial->created, a->trial->created);
}

static bool is_same(const cli_export_entry *a, const cli_export_entry *b)
{
    return memcmp(a->choice, b->choice, a->axis_count * sizeof *a->choice) == 0;
}

static void drop_doubles(cli_export *data)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->entry_count; i++) {
        if (!kept || !is_same(&data->entries[kept - 1], &data->entries[i])) {
            data->entries[kept++] = data->entries[i];
        }
    }
    data->entry_count = kept;
}

void cli_export_make(cli_export *out, const cli_measured *from)
{
    *out = (cli_export){.from = from};
    for (size_t i = 0; i < from->count; i++) {
        if (has_outcome(&from->trials[i])) {
            each_pair(from->trials[i].configuration, add_value, out);
        }
    }
    each_pair(from->sizes, add_word, out);
    for (size_t i = 0; i < out->axis_count; i++) {
        qsort(out->axes[i].values, out->axes[i].count, sizeof(char *), compare_values);
    }
    out->choices = cli_allocate(from->count * out->axis_count + 1, sizeof *out->choices);
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
