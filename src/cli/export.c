/* Stored trials by scenario, and the choice of one; its trials taken apart into axes with their
 * values, and written as a cache file of Kernel Tuner or as T4 results, where times are
 * milliseconds. */
#include "cli/export.h"

#include "cli/console.h"
#include "cli/files.h"
#include "cli/record_columns.h"
#include "cli/scenarios.h"
#include "cli/units.h"

#include "base/asked_for.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 20, SHORT_HASH = 8 };

/* ---- reading ---- */

static cli_measured *find_or_add(cli_measured_list *list, const gputune_record *record)
{
    for (size_t i = list->count; i-- > 0;) { /* records of a scenario mostly come in a row */
        if (cli_record_is_alike(&list->items[i].shared, record)) {
            return &list->items[i];
        }
    }
    list->items = cli_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count] =
        (cli_measured){.shared = cli_record_copy(record, NULL),
                       .winner = cli_record_copy(&(gputune_record){.version = 0}, NULL)};
    return &list->items[list->count++];
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
    one->trials = cli_grow(one->trials, one->count, sizeof *one->trials);
    one->trials[one->count++] = copy;
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

/* ---- choosing ---- */

static bool is_named(const cli_measured *one, const cli_measured_name *name)
{
    const gputune_record *of = &one->shared;
    return (!name->sizes || gt_sizes_match(of->sizes, name->sizes)) &&
           (!name->objective || (int)of->objective == name->objective) &&
           (name->cache < 0 || (int)of->cache == name->cache) &&
           (!name->gpu || gt_gpu_matches(of->gpu, of->environment, name->gpu)) &&
           (!name->scenario || strncmp(of->scenario, name->scenario, strlen(name->scenario)) == 0);
}

/* The text by which --gpu means this record's GPU alone. */
static const char *gpu_name(const gputune_record *of, const cli_measured_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const gputune_record *other = &list->items[i].shared;
        if (strcmp(other->environment, of->environment) != 0 && strcasestr(other->gpu, of->gpu)) {
            return of->environment;
        }
    }
    return of->gpu;
}

static void say(const cli_measured *one, const cli_measured_list *list)
{
    const gputune_record *of = &one->shared;
    const char *name = gpu_name(of, list);
    bool is_environment = name == of->environment;
    cli_error(
        "  --scenario %.*s --gpu '%s'%s%s: %s, %s, %s, alignment %s, %s, %zu trials", SHORT_HASH,
        of->scenario, name, is_environment ? ", " : "", is_environment ? of->gpu : "",
        cli_short_sizes(of->sizes), gputune_objective_name(of->objective),
        of->cache == GPUTUNE_CACHE_HOT ? "hot" : "cold", of->alignment, of->inputs, one->count);
}

static void say_all(const cli_measured_list *list, const cli_measured_name *name)
{
    size_t said = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(&list->items[i], name) && said++ < MOST_LISTED) {
            say(&list->items[i], list);
        }
    }
    if (said > MOST_LISTED) {
        cli_error("  and %zu more; --size, --objective, --cache and --gpu leave some out",
                  said - MOST_LISTED);
    }
}

int cli_measured_choose(const cli_measured **out, const cli_measured_list *list,
                        const cli_measured_name *name)
{
    const cli_measured_name any = {.cache = -1};
    size_t found = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(&list->items[i], name)) {
            *out = &list->items[i];
            found++;
        }
    }
    if (found == 1) {
        return CLI_CONTINUE;
    }
    if (found) {
        cli_error("%zu scenarios of %s fit; name one of them:", found, list->items->shared.kernel);
        say_all(list, name);
    } else {
        cli_error("no stored scenario of %s fits; there %s:", list->items->shared.kernel,
                  list->count == 1 ? "is" : "are");
        say_all(list, &any);
    }
    return CLI_EXIT_USAGE;
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

/* Adds the values of "A=1 B=2" to their axes. `words`: only those that are no numbers. */
static void add_values(cli_export *data, const char *text, bool words)
{
    char *name, *value;
    while (cli_next_pair(&text, &name, &value)) {
        int64_t number;
        bool is_word = !read_integer(&number, value);
        cli_export_axis *axis = find_axis(data, name);
        if (words && !is_word) {
            continue;
        }
        if (!axis) {
            data->axes = cli_grow(data->axes, data->axis_count, sizeof *data->axes);
            axis = &data->axes[data->axis_count++];
            *axis = (cli_export_axis){.name = name, .values = cli_allocate(1, sizeof name)};
        }
        if (find_value(axis, value) == axis->count) {
            axis->values = cli_grow(axis->values, axis->count, sizeof *axis->values);
            axis->values[axis->count++] = value;
            axis->words |= is_word;
        }
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

/* Adds a trial. Where its configuration lacks an axis, because it is of another version of the
 * template, the trial gets the first value of that axis. */
static void place_trial(cli_export *data, const gputune_record *trial)
{
    const char *text = trial->configuration;
    char *name, *value;
    size_t index = data->entry_count++, *choice = data->choices + index * data->axis_count;
    void *mark = cli_mark();
    while (cli_next_pair(&text, &name, &value)) {
        const cli_export_axis *axis = find_axis(data, name);
        choice[axis - data->axes] = find_value(axis, value);
    }
    cli_release(mark, NULL);
    data->entries[index] = (cli_export_entry){trial, choice, data->axis_count};
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
            add_values(out, from->trials[i].configuration, false);
        }
    }
    /* a size that is a word (a type) has no place among the sizes: it is an axis of one value */
    add_values(out, from->shared.sizes, true);
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

/* How the formats call what came of a trial; `exact`: both say what happened. */
typedef struct outcome {
    const char *status, *kernel_tuner, *t4; /* kernel_tuner: NULL for what did not fail */
    bool exact;
} outcome;
static const outcome outcomes[] = {
    {"ok", NULL, "correct", true},
    {"eliminated", NULL, "correct", true},
    {"compile", "CompilationFailedConfig", "compile", true},
    {"launch", "RuntimeFailedConfig", "runtime", true},
    {"crashed", "RuntimeFailedConfig", "runtime", true},
    {"hung", "RuntimeFailedConfig", "timeout", false},
    {"slow", "CompilationFailedConfig", "timeout", false},
    {"wrong", "RuntimeFailedConfig", "correctness", false},
};

static const outcome *outcome_of(const gputune_record *trial)
{
    const outcome *last = &outcomes[sizeof outcomes / sizeof *outcomes - 1], *at = outcomes;
    while (at < last && strcmp(at->status, trial->status) != 0) {
        at++;
    }
    return at;
}

static char *ms(double ns)
{
    return cli_json_number(ns * 1e-6);
}

/* The samples' lengths summed up: what is known of how long measuring took. */
static double benchmark_ns(const gputune_record *trial)
{
    return trial->samples * trial->mean_ns;
}

static const char *value_of(const cli_export_axis *axis, size_t choice)
{
    return axis->words ? cli_json_text(axis->values[choice]) : axis->values[choice];
}

/* "BLOCK": 256, ... */
static char *configuration_of(const cli_export *data, const cli_export_entry *entry)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < data->axis_count; i++) {
        const cli_export_axis *axis = &data->axes[i];
        cli_append(&text, "%s%s: %s", i ? ", " : "", cli_json_text(axis->name),
                   value_of(axis, entry->choice[i]));
    }
    return text;
}

/* What both formats say of a failure beyond their own words; "" of a trial that did not fail. */
static const char *failure_of(const gputune_record *trial)
{
    return outcome_of(trial)->kernel_tuner
               ? cli_format(", \"status\": %s, \"message\": %s", cli_json_text(trial->status),
                            cli_json_text(trial->message))
               : "";
}

/* The device, the kernel, and the sizes that are numbers, in their order. */
static void write_problem(const cli_export *data, const char *separator, FILE *file)
{
    const char *text = data->from->shared.sizes, *comma = "";
    char *name, *value;
    fprintf(file, "\"device_name\": %s%s\"kernel_name\": %s%s\"problem_size\": [",
            cli_json_text(data->from->shared.gpu), separator,
            cli_json_text(data->from->shared.kernel), separator);
    while (cli_next_pair(&text, &name, &value)) {
        int64_t number;
        const char *problem;
        if (cli_size_number(&number, &problem, value)) {
            fprintf(file, "%s%s", comma, value);
            comma = ", ";
        }
    }
}

/* Writes each entry on lines of its own. */
static void write_entries(const cli_export *data,
                          void (*write)(const cli_export *data, const cli_export_entry *entry,
                                        FILE *file),
                          FILE *file)
{
    for (size_t i = 0; i < data->entry_count; i++) {
        void *mark = cli_mark();
        fputs(i ? ",\n" : "\n", file);
        write(data, &data->entries[i], file);
        cli_release(mark, NULL);
    }
}

/* ---- Kernel Tuner's cache, by its schema/cache/1.1.0 ---- */

/* An entry's key is its values, joined as Kernel Tuner joins them. */
static void write_cached(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    const gputune_record *trial = entry->trial;
    const char *failure = outcome_of(trial)->kernel_tuner, *time = ms(trial->median_ns);
    char *key = cli_copy("");
    for (size_t i = 0; i < data->axis_count; i++) {
        cli_append(&key, "%s%s", i ? "," : "", data->axes[i].values[entry->choice[i]]);
    }
    fprintf(file, "%s: {%s%s\"time\": ", cli_json_text(key), configuration_of(data, entry),
            data->axis_count ? ", " : "");
    fprintf(file, failure ? "\"%s\"%s" : "%s, \"times\": [%s]", failure ? failure : time,
            failure ? failure_of(trial) : time);
    fprintf(file,
            ", \"compile_time\": %s, \"verification_time\": 0, \"benchmark_time\": %s, "
            "\"strategy_time\": 0, \"framework_time\": 0, \"timestamp\": %s}",
            ms(trial->compile_ns), ms(benchmark_ns(trial)), cli_json_text(trial->created));
}

/* Kernel Tuner looks for the closing braces as they are. */
static void write_cache(const cli_export *data, FILE *file)
{
    fputs("{\n\"schema_version\": \"1.1.0\",\n", file);
    write_problem(data, ",\n", file);
    fputs("],\n\"tune_params_keys\": [", file);
    for (size_t i = 0; i < data->axis_count; i++) {
        fprintf(file, "%s%s", i ? ", " : "", cli_json_text(data->axes[i].name));
    }
    fputs("],\n\"tune_params\": {", file);
    for (size_t i = 0; i < data->axis_count; i++) {
        const cli_export_axis *axis = &data->axes[i];
        fprintf(file, "%s%s: [", i ? ", " : "", cli_json_text(axis->name));
        for (size_t v = 0; v < axis->count; v++) {
            fprintf(file, "%s%s", v ? ", " : "", value_of(axis, v));
        }
        fputs("]", file);
    }
    fputs("},\n\"objective\": \"time\",\n\"cache\": {", file);
    write_entries(data, write_cached, file);
    fputs("}\n}\n", file);
}

/* ---- T4 ---- */

/* Nanojoules are given as millijoules, as nanoseconds are as milliseconds. */
static void write_result(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    const gputune_record *trial = entry->trial;
    bool by_energy = data->from->shared.objective == GPUTUNE_OBJECTIVE_ENERGY;
    bool right = !outcome_of(trial)->kernel_tuner, timed = right && !by_energy;
    const char *objective = by_energy ? "energy" : "time", *value = ms(trial->median_ns);
    fprintf(file,
            "{\"timestamp\": %s, \"configuration\": {%s}, \"times\": {\"compilation\": %s, "
            "\"benchmark\": %s, \"framework\": 0, \"search_algorithm\": 0, \"validation\": 0, "
            "\"runtimes\": [%s]}, \"invalidity\": \"%s\", \"correctness\": %d, "
            "\"measurements\": [",
            cli_json_text(trial->created), configuration_of(data, entry), ms(trial->compile_ns),
            ms(timed ? benchmark_ns(trial) : 0), timed ? value : "", outcome_of(trial)->t4,
            strcmp(trial->status, "wrong") != 0);
    if (right) {
        fprintf(file, "{\"name\": \"%s\", \"value\": %s, \"unit\": \"%s\"}", objective, value,
                by_energy ? "mJ" : "ms");
    }
    fprintf(file, "], \"objectives\": [\"%s\"]%s}", objective, failure_of(trial));
}

static void write_t4(const cli_export *data, FILE *file)
{
    fputs("{\"schema_version\": \"1.0.0\",\n\"metadata\": {\"timeunit\": \"milliseconds\", ", file);
    write_problem(data, ", ", file);
    fputs("]},\n\"results\": [", file);
    write_entries(data, write_result, file);
    fputs("]}\n", file);
}

/* ---- */

void cli_export_write(const cli_export *data, cli_export_format format, FILE *file)
{
    (format == CLI_EXPORT_T4 ? write_t4 : write_cache)(data, file);
}

void cli_export_say_limits(const cli_export *data, cli_export_format format)
{
    size_t inexact = 0;
    for (size_t i = 0; i < data->entry_count; i++) {
        inexact += !outcome_of(data->entries[i].trial)->exact;
    }
    cli_note("not stored, and so not written: each sample's time (the median stands for them), how "
             "long verifying took (0), how long measuring took (samples times their mean)");
    if (inexact && format == CLI_EXPORT_KERNEL_TUNER) {
        cli_note("Kernel Tuner knows neither wrong results nor hangs: %zu are RuntimeFailedConfig, "
                 "and 'status' says which",
                 inexact);
    }
    if (data->unmeasured) {
        cli_note("left out, as neither measured nor failed: %zu of the trials", data->unmeasured);
    }
}
