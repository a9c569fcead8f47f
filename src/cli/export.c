/* Stored trials by scenario, and the choice of one; its trials taken apart into axes with their
 * values, and written as a cache file of Kernel Tuner or as T4 results, where times are
 * milliseconds. */
#include "cli/export.h"

#include "cli/console.h"
#include "cli/files.h"
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

static bool is_of(const cli_measured *one, const gputune_record *record)
{
    return strcmp(one->scenario, record->scenario) == 0 &&
           strcmp(one->environment, record->environment) == 0;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static cli_measured *find_or_add(cli_measured_list *list, const gputune_record *record)
{
    for (size_t i = list->count; i-- > 0;) { /* records of a scenario mostly come in a row */
        if (is_of(&list->items[i], record)) {
            return &list->items[i];
        }
    }
    list->items = cli_grow(list->items, list->count, sizeof *list->items);
    cli_measured *one = &list->items[list->count++];
    *one = (cli_measured){.kernel = cli_copy(record->kernel),
                          .sizes = cli_copy(record->sizes),
                          .scenario = cli_copy(record->scenario),
                          .alignment = cli_copy(record->alignment),
                          .inputs = cli_copy(record->inputs),
                          .gpu = cli_copy(record->gpu),
                          .environment = cli_copy(record->environment),
                          .arch = cli_copy(text_or_empty(record->arch)),
                          .outdated = record->outdated,
                          .stop_reason = cli_copy(""),
                          .objective = record->objective,
                          .cache = record->cache};
    return one;
}

/* A scenario has a winner for each space that was tuned. */
static void note_winner(cli_measured *one, const gputune_record *record)
{
    bool whole = !text_or_empty(record->only)[0];
    bool better = !one->winner ||
                  (whole == one->winner_of_whole ? record->median_ns < one->winner_ns : whole);
    if (record->is_winner && better) {
        one->winner = cli_copy(record->configuration);
        one->winner_default = cli_copy(text_or_empty(record->default_configuration));
        one->stop_reason = cli_copy(text_or_empty(record->stop_reason));
        one->winner_of_whole = whole;
        one->winner_ns = record->median_ns;
    }
}

int cli_measured_add(void *list, const gputune_record *record)
{
    cli_measured *one = find_or_add(list, record);
    note_winner(one, record);
    one->trials = cli_grow(one->trials, one->count, sizeof *one->trials);
    cli_trial *trial = &one->trials[one->count++];
    *trial = (cli_trial){.configuration = cli_copy(record->configuration),
                         .message = cli_copy(text_or_empty(record->message)),
                         .created = cli_copy(text_or_empty(record->created)),
                         .median_ns = record->median_ns,
                         .mean_ns = record->mean_ns,
                         .low_ns = record->low_ns,
                         .high_ns = record->high_ns,
                         .compile_ns = record->compile_ns,
                         .occupancy = record->occupancy,
                         .samples = record->samples,
                         .eliminated_round = record->eliminated_round,
                         .registers = record->registers,
                         .spill_bytes = record->spill_bytes,
                         .shared_bytes = record->shared_bytes,
                         .order = record->order,
                         .is_default = record->is_default};
    snprintf(trial->status, sizeof trial->status, "%s", record->status);
    return 0;
}

int cli_measured_read(cli_measured_list *out, const cli_session *session, const char *kernel,
                      bool history)
{
    *out = (cli_measured_list){NULL, 0};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = kernel;
    filter.all_trials = filter.any_gpu = true;
    filter.history = history;
    int status = gputune_records(session->tuner, &filter, cli_measured_add, out);
    return status == GPUTUNE_ENOTFOUND ? CLI_CONTINUE /* the callers say so */
                                       : cli_passed(status);
}

cli_place cli_place_of(const cli_measured *measured)
{
    return (cli_place){measured->kernel,      measured->sizes,    measured->gpu,
                       measured->environment, measured->scenario, measured->objective};
}

bool cli_trial_has_time(const cli_trial *trial)
{
    return trial->median_ns > 0 &&
           (strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0);
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
    return (!name->sizes || gt_sizes_match(one->sizes, name->sizes)) &&
           (!name->objective || (int)one->objective == name->objective) &&
           (name->cache < 0 || (int)one->cache == name->cache) &&
           (!name->gpu || gt_gpu_matches(one->gpu, one->environment, name->gpu)) &&
           (!name->scenario || strncmp(one->scenario, name->scenario, strlen(name->scenario)) == 0);
}

/* The text by which --gpu means this scenario's GPU alone. */
static const char *gpu_name(const cli_measured *one, const cli_measured_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const cli_measured *other = &list->items[i];
        if (strcmp(other->environment, one->environment) != 0 && strcasestr(other->gpu, one->gpu)) {
            return one->environment;
        }
    }
    return one->gpu;
}

static void say(const cli_measured *one, const cli_measured_list *list)
{
    char *sizes = cli_short_sizes(one->sizes);
    const char *name = gpu_name(one, list);
    bool is_environment = name == one->environment;
    cli_error("  --scenario %.*s --gpu '%s'%s%s: %s, %s, %s, alignment %s, %s, %zu trials",
              SHORT_HASH, one->scenario, name, is_environment ? ", " : "",
              is_environment ? one->gpu : "", sizes, gputune_objective_name(one->objective),
              one->cache == GPUTUNE_CACHE_HOT ? "hot" : "cold", one->alignment, one->inputs,
              one->count);
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
        cli_error("%zu scenarios of %s fit; name one of them:", found, list->items->kernel);
        say_all(list, name);
    } else {
        cli_error("no stored scenario of %s fits; there %s:", list->items->kernel,
                  list->count == 1 ? "is" : "are");
        say_all(list, &any);
    }
    return CLI_EXIT_USAGE;
}

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

/* Adds a trial. Where its configuration lacks an axis, because it is of another version of the
 * template, the trial gets the first value of that axis. */
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

/* How the formats call what came of a trial; `exact`: both say what happened. */
static const struct {
    const char *status, *kernel_tuner, *t4;
    bool exact;
} outcomes[] = {
    {"ok", NULL, "correct", true},
    {"eliminated", NULL, "correct", true},
    {"compile", "CompilationFailedConfig", "compile", true},
    {"launch", "RuntimeFailedConfig", "runtime", true},
    {"crashed", "RuntimeFailedConfig", "runtime", true},
    {"hung", "RuntimeFailedConfig", "timeout", false},
    {"slow", "CompilationFailedConfig", "timeout", false},
    {"wrong", "RuntimeFailedConfig", "correctness", false},
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

static size_t outcome_of(const cli_trial *trial)
{
    size_t i = 0;
    while (i + 1 < OUTCOMES && strcmp(outcomes[i].status, trial->status) != 0) {
        i++;
    }
    return i;
}

static bool failed(const cli_trial *trial)
{
    return outcomes[outcome_of(trial)].kernel_tuner != NULL;
}

static double to_ms(double ns)
{
    return ns * 1e-6;
}

/* The samples' lengths summed up: what is known of how long measuring took. */
static double benchmark_ms(const cli_trial *trial)
{
    return to_ms(trial->samples * trial->mean_ns);
}

static void write_value(const cli_export_axis *axis, size_t choice, FILE *file)
{
    if (axis->words) {
        cli_json_text(axis->values[choice], file);
    } else {
        fputs(axis->values[choice], file);
    }
}

/* "BLOCK": 256, ... */
static void write_configuration(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    for (size_t i = 0; i < data->axis_count; i++) {
        fputs(i ? ", " : "", file);
        cli_json_text(data->axes[i].name, file);
        fputs(": ", file);
        write_value(&data->axes[i], entry->choice[i], file);
    }
}

static void write_text(const char *name, const char *text, FILE *file)
{
    fprintf(file, "\"%s\": ", name);
    cli_json_text(text, file);
}

static void write_number(const char *name, double value, FILE *file)
{
    fprintf(file, "\"%s\": ", name);
    cli_json_number(value, file);
}

/* The sizes that are numbers, in their order: "4096, 4096". */
static void write_problem_size(const cli_export *data, FILE *file)
{
    const char *text = data->from->sizes, *separator = "";
    while ((text = strchr(text, '='))) {
        int64_t number;
        const char *problem;
        char *value = cli_copy_part(text + 1, strcspn(text + 1, " "));
        if (cli_size_number(&number, &problem, value)) {
            fprintf(file, "%s%s", separator, value);
            separator = ", ";
        }
        text++;
    }
}

/* ---- Kernel Tuner's cache, by its schema/cache/1.1.0 ---- */

static void write_header(const cli_export *data, FILE *file)
{
    fputs("{\n\"schema_version\": \"1.1.0\",\n", file);
    write_text("device_name", data->from->gpu, file);
    fputs(",\n", file);
    write_text("kernel_name", data->from->kernel, file);
    fputs(",\n\"problem_size\": [", file);
    write_problem_size(data, file);
    fputs("],\n\"tune_params_keys\": [", file);
    for (size_t i = 0; i < data->axis_count; i++) {
        fputs(i ? ", " : "", file);
        cli_json_text(data->axes[i].name, file);
    }
    fputs("],\n\"tune_params\": {", file);
    for (size_t i = 0; i < data->axis_count; i++) {
        const cli_export_axis *axis = &data->axes[i];
        fputs(i ? ", " : "", file);
        cli_json_text(axis->name, file);
        fputs(": [", file);
        for (size_t v = 0; v < axis->count; v++) {
            fputs(v ? ", " : "", file);
            write_value(axis, v, file);
        }
        fputs("]", file);
    }
    fputs("},\n\"objective\": \"time\",\n\"cache\": {", file);
}

/* Writes an entry's key: its values, joined as Kernel Tuner joins them. */
static void write_key(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    char *key = cli_copy("");
    for (size_t i = 0; i < data->axis_count; i++) {
        cli_append(&key, "%s%s", i ? "," : "", data->axes[i].values[entry->choice[i]]);
    }
    cli_json_text(key, file);
}

static void write_failure(const cli_trial *trial, FILE *file)
{
    fputs(", ", file);
    write_text("status", trial->status, file);
    fputs(", ", file);
    write_text("message", trial->message, file);
}

static void write_cached(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    const cli_trial *trial = entry->trial;
    write_key(data, entry, file);
    fputs(": {", file);
    write_configuration(data, entry, file);
    fputs(data->axis_count ? ", " : "", file);
    if (failed(trial)) {
        write_text("time", outcomes[outcome_of(trial)].kernel_tuner, file);
        write_failure(trial, file);
    } else {
        write_number("time", to_ms(trial->median_ns), file);
        fputs(", \"times\": [", file);
        cli_json_number(to_ms(trial->median_ns), file);
        fputs("]", file);
    }
    fputs(", ", file);
    write_number("compile_time", to_ms(trial->compile_ns), file);
    fputs(", \"verification_time\": 0, ", file);
    write_number("benchmark_time", benchmark_ms(trial), file);
    fputs(", \"strategy_time\": 0, \"framework_time\": 0, ", file);
    write_text("timestamp", trial->created, file);
    fputs("}", file);
}

/* Kernel Tuner looks for these closing braces. */
static void write_cache(const cli_export *data, FILE *file)
{
    write_header(data, file);
    for (size_t i = 0; i < data->entry_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_cached(data, &data->entries[i], file);
    }
    fputs("}\n}\n", file);
}

/* ---- T4 ---- */

static bool is_energy(const cli_export *data)
{
    return data->from->objective == GPUTUNE_OBJECTIVE_ENERGY;
}

/* Nanojoules are given as millijoules, as nanoseconds are as milliseconds. */
static void write_measurement(const cli_export *data, const cli_trial *trial, FILE *file)
{
    fprintf(file, "{\"name\": \"%s\", ", is_energy(data) ? "energy" : "time");
    write_number("value", to_ms(trial->median_ns), file);
    fprintf(file, ", \"unit\": \"%s\"}", is_energy(data) ? "mJ" : "ms");
}

static void write_result(const cli_export *data, const cli_export_entry *entry, FILE *file)
{
    const cli_trial *trial = entry->trial;
    bool timed = !failed(trial) && !is_energy(data);
    fputs("{", file);
    write_text("timestamp", trial->created, file);
    fputs(", \"configuration\": {", file);
    write_configuration(data, entry, file);
    fputs("}, \"times\": {", file);
    write_number("compilation", to_ms(trial->compile_ns), file);
    fputs(", ", file);
    write_number("benchmark", timed ? benchmark_ms(trial) : 0, file);
    fputs(", \"framework\": 0, \"search_algorithm\": 0, \"validation\": 0, \"runtimes\": [", file);
    if (timed) {
        cli_json_number(to_ms(trial->median_ns), file);
    }
    fputs("]}, ", file);
    write_text("invalidity", outcomes[outcome_of(trial)].t4, file);
    fprintf(file, ", \"correctness\": %d, \"measurements\": [",
            strcmp(trial->status, "wrong") != 0);
    if (!failed(trial)) {
        write_measurement(data, trial, file);
    }
    fprintf(file, "], \"objectives\": [\"%s\"]", is_energy(data) ? "energy" : "time");
    if (failed(trial)) {
        write_failure(trial, file);
    }
    fputs("}", file);
}

static void write_t4(const cli_export *data, FILE *file)
{
    fputs("{\"schema_version\": \"1.0.0\",\n\"metadata\": {\"timeunit\": \"milliseconds\", ", file);
    write_text("device_name", data->from->gpu, file);
    fputs(", ", file);
    write_text("kernel_name", data->from->kernel, file);
    fputs(", \"problem_size\": [", file);
    write_problem_size(data, file);
    fputs("]},\n\"results\": [", file);
    for (size_t i = 0; i < data->entry_count; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_result(data, &data->entries[i], file);
    }
    fputs("]}\n", file);
}

/* ---- */

void cli_export_write(const cli_export *data, cli_export_format format, FILE *file)
{
    if (format == CLI_EXPORT_T4) {
        write_t4(data, file);
    } else {
        write_cache(data, file);
    }
}

void cli_export_say_limits(const cli_export *data, cli_export_format format)
{
    size_t inexact = 0;
    for (size_t i = 0; i < data->entry_count; i++) {
        inexact += !outcomes[outcome_of(data->entries[i].trial)].exact;
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
