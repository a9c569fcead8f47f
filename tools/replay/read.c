/* Reads a recorded space from a plain or gzip file, and finds the values of its parameters. */
#include "replay/read.h"

#include "base/file.h"
#include "base/patience.h"
#include "replay/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 16384 };

static gputune_status fail(gzFile file, const char *path)
{
    int code;
    const char *message = gzerror(file, &code);
    GT_REFUSE(code == Z_ERRNO, GPUTUNE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    if (code == Z_MEM_ERROR) {
        return gt_fail_memory();
    }
    GT_REFUSE(code == Z_BUF_ERROR, GPUTUNE_ERECORDED,
              "%s: the gzip data is cut short; expected a whole file: copy it again", path);
    return gt_fail(GPUTUNE_ERECORDED, "%s: the gzip data is damaged (%s): copy it again", path,
                   message);
}

/* Reads at most `most` bytes, because a small compressed file can expand until memory is full. */
static gputune_status read_all(gt_text *out, gzFile file, const char *path, size_t most,
                               const volatile int *cancel)
{
    char piece[PIECE];
    int count, code;
    while ((count = gzread(file, piece, sizeof piece)) > 0) {
        gt_text_append_bytes(out, piece, (size_t)count);
        GT_REFUSE(out->length > most, GPUTUNE_ERECORDED,
                  "%s: its text is longer than %zu bytes; expected a recorded space", path, most);
        GT_REFUSE(gt_is_canceled(cancel), GPUTUNE_ECANCELED, "%s: stopped on request", path);
    }
    gzerror(file, &code);
    if (count < 0 || code != Z_OK) {
        return fail(file, path);
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel)
{
    int descriptor;
    GT_TRY(gt_file_open(&descriptor, path));
    gzFile file = gzdopen(descriptor, "rb");
    if (!file) {
        close(descriptor);
        return gt_fail_memory();
    }
    gputune_status status = read_all(out, file, path, most, cancel);
    gzclose(file);
    return status;
}

/* Returns true if the word contains a part of the name of a failure, such as InvalidConfig. */
static bool is_failure(const char *word)
{
    static const char *const parts[] = {"InvalidConfig", "ompil",  "untime",
                                        "imeout",        "orrect", "erif"};
    bool is = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !is; i++) {
        is = strstr(word, parts[i]) != NULL;
    }
    return is;
}

/* Reads milliseconds and converts them to seconds. Returns 0 seconds if they are missing. */
static gputune_status read_seconds(double *out, const gt_json *json, const char *name)
{
    const gt_json *value = gt_json_member(json, name);
    bool is_there = value && value->kind != GT_JSON_NULL;
    *out = is_there ? value->number * 1e-3 : 0;
    return !is_there || (value->kind == GT_JSON_NUMBER && value->number >= 0)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ERECORDED, "'%s' is not a duration; expected milliseconds", name);
}

/* Sets the outcome from the recorded time, which is either a number or the name of a failure. */
static gputune_status read_time(gt_tried *out, const gt_json *value, const char *name,
                                double unit_ns)
{
    GT_REFUSE(!value, GPUTUNE_ERECORDED, "there is no '%s'; expected a time or a failure's name",
              name);
    if (value->kind == GT_JSON_TEXT) {
        out->outcome = GT_TRIED_FAILED;
        return is_failure(value->text)
                   ? GPUTUNE_OK
                   : gt_fail(GPUTUNE_ERECORDED,
                             "'%s' is \"%s\"; expected a number, or a failure's name such as "
                             "RuntimeFailedConfig",
                             name, value->text);
    }
    GT_REFUSE(value->kind != GT_JSON_NUMBER, GPUTUNE_ERECORDED,
              "'%s' is neither a number nor a failure's name", name);
    *out = (gt_tried){.outcome = GT_TRIED_OK, .time_ns = value->number * unit_ns};
    bool is_positive = value->number > 0;
    return is_positive && isfinite(out->time_ns)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ERECORDED, "'%s' is %g; expected a %s", name, value->number,
                         is_positive ? "time that is finite in nanoseconds" : "positive time");
}

/* Sums the seconds of all launches. Sets *count to the number of launches, but at least 1. */
static gputune_status sum_runs(double *out, double *count, const gt_json *runs)
{
    size_t launches = 0;
    *out = 0;
    for (const gt_json *run = NULL; (run = gt_json_after(runs, run)) != NULL; launches++) {
        const double milliseconds = run->kind == GT_JSON_NUMBER ? run->number : 0;
        GT_REFUSE(milliseconds < 0, GPUTUNE_ERECORDED, "'runtimes' has %g; expected milliseconds",
                  milliseconds);
        *out += milliseconds * 1e-3;
    }
    *count = launches ? (double)launches : 1;
    return GPUTUNE_OK;
}

/* Reads an entry of Kernel Tuner's cache, except the values of its parameters. */
static gputune_status read_cached(gt_recorded_entry *out, const gt_json *json)
{
    double sum, launches;
    GT_TRY(read_time(&out->tried, gt_json_member(json, "time"), "time", 1e6));
    GT_TRY(read_seconds(&out->tried.compile_s, json, "compile_time"));
    GT_TRY(read_seconds(&out->tried.measure_s, json, "benchmark_time"));
    GT_TRY(read_seconds(&out->worker_s, json, "framework_time"));
    GT_TRY(sum_runs(&sum, &launches, gt_json_member(json, "times")));
    out->launch_s = out->tried.measure_s / launches;
    return GPUTUNE_OK;
}

/* Finds the measurement to minimise, which has the name of the first objective. */
static const gt_json *find_measurement(const gt_json *json, const char **name)
{
    const gt_json *all = gt_json_member(json, "measurements"), *one = NULL;
    const char *objective = gt_json_text(gt_json_after(gt_json_member(json, "objectives"), NULL));
    *name = objective ? objective : "time";
    while ((one = gt_json_after(all, one)) != NULL) {
        const char *of = gt_json_text(gt_json_member(one, "name"));
        if (of && strcmp(of, *name) == 0) {
            break;
        }
    }
    return one;
}

static double nanoseconds_of(const char *unit)
{
    static const struct {
        const char *word;
        double ns;
    } units[] = {{"s", 1e9}, {"seconds", 1e9},  {"us", 1e3}, {"microseconds", 1e3},
                 {"ns", 1},  {"nanoseconds", 1}};
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].word) == 0) {
            return units[i].ns;
        }
    }
    return 1e6;
}

static gputune_status read_validity(gt_tried *out, const gt_json *json)
{
    static const char outcomes[] = "correct, compile, runtime, timeout, correctness or constraints";
    const char *invalidity = gt_json_text(gt_json_member(json, "invalidity")), *name;
    GT_REFUSE(!invalidity, GPUTUNE_ERECORDED, "there is no 'invalidity'; expected %s", outcomes);
    if (strcmp(invalidity, "correct") != 0) {
        out->outcome = GT_TRIED_FAILED;
        return is_failure(invalidity)
                   ? GPUTUNE_OK
                   : gt_fail(GPUTUNE_ERECORDED, "'invalidity' is \"%s\"; expected %s", invalidity,
                             outcomes);
    }
    const gt_json *measurement = find_measurement(json, &name);
    const char *unit = gt_json_text(gt_json_member(measurement, "unit"));
    GT_TRY(read_time(out, gt_json_member(measurement, "value"), name, nanoseconds_of(unit)));
    return out->outcome == GT_TRIED_OK
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ERECORDED,
                         "'invalidity' is correct, and '%s' is a failure's name; expected one of "
                         "both",
                         name);
}

static gputune_status read_t4(gt_recorded_entry *out, const gt_json *json)
{
    const gt_json *times = gt_json_member(json, "times");
    double benchmark, runs, launches;
    GT_TRY(read_validity(&out->tried, json));
    GT_TRY(read_seconds(&out->tried.compile_s, times, "compilation"));
    GT_TRY(read_seconds(&out->worker_s, times, "framework"));
    GT_TRY(read_seconds(&benchmark, times, "benchmark"));
    GT_TRY(sum_runs(&runs, &launches, gt_json_member(times, "runtimes")));
    out->tried.measure_s = benchmark > 0 ? benchmark : runs;
    out->launch_s = out->tried.measure_s / launches;
    return GPUTUNE_OK;
}

enum { TEXT_MOST = 1 << 30 }; /* maximum size of a text in bytes */

typedef struct reader {
    const char *path;
    const gt_log *log;
    const volatile int *cancel;
    gt_text text;
    gt_json_list json;
    const gt_json *entries, *listed; /* `listed` is the file's list of parameter values, or NULL */
    bool is_t4;
    GT_ARRAY(const char *) names;
    GT_ARRAY(const gt_json *) values; /* values of all entries, in the order of the names */
    gt_recorded space;
} reader;

/* Prepends the file and the line to a message. */
static gputune_status fail_at(const reader *at, int line, gputune_status status)
{
    return status == GPUTUNE_ENOMEM || status == GPUTUNE_OK
               ? status
               : gt_fail_prefix(GPUTUNE_ERECORDED, "%s:%d", at->path, line);
}

/* Reads the names of the parameters. In T4 results, the first configuration contains the names. */
static gputune_status take_names(reader *at, const gt_json *names)
{
    for (const gt_json *one = NULL; (one = gt_json_after(names, one)) != NULL;) {
        const char *name = one->name ? one->name : gt_json_text(one);
        GT_TRY(gt_array_push(&at->names, name ? name : "?"));
    }
    return GPUTUNE_OK;
}

/* Parses the text. If the file ends inside an entry, logs a warning and leaves the entry out. */
static gputune_status parse(reader *at)
{
    gt_json_reader json;
    gputune_status status = gt_json_read(&json, &at->json, at->text.data, at->text.length);
    const gt_json *whole = at->json.items;
    const bool is_cut = status == GPUTUNE_EINVAL && gt_json_is_cut(&json);
    GT_REFUSE(status != GPUTUNE_ENOMEM && (!at->json.count || whole->kind < GT_JSON_ARRAY),
              GPUTUNE_ERECORDED,
              "%s:%d: no JSON object; expected a cache file of Kernel Tuner or T4 results",
              at->path, json.line);
    GT_TRY(is_cut ? GPUTUNE_OK : fail_at(at, json.line, status));
    at->listed = gt_json_member(whole, "tune_params");
    at->entries = gt_json_member(whole, "results");
    at->is_t4 = at->entries != NULL;
    at->entries = at->is_t4 ? at->entries : gt_json_member(whole, "cache");
    GT_REFUSE(!at->entries, GPUTUNE_ERECORDED,
              "%s:%d: neither 'cache' nor 'results' up to here; expected a cache file of Kernel "
              "Tuner or T4 results",
              at->path, json.line);
    if (is_cut && json.member < json.end &&
        at->entries + at->entries->span == whole + whole->span) {
        gt_log_line(at->log, GPUTUNE_LOG_WARNING, "%s:%d: the file ends inside an entry; left out",
                    at->path, json.line);
    }
    return take_names(at, gt_json_member(whole, "tune_params_keys"));
}

static gputune_status take_values(reader *at, const gt_json *configuration)
{
    for (size_t i = 0; i < at->names.count; i++) {
        const char *name = at->names.items[i];
        const gt_json *value = gt_json_member(configuration, name);
        GT_REFUSE(!value, GPUTUNE_ERECORDED,
                  "the value of '%s' is missing; expected one for every parameter", name);
        GT_REFUSE(value->kind == GT_JSON_NULL || value->kind > GT_JSON_TEXT, GPUTUNE_ERECORDED,
                  "'%s' is neither a number nor a word", name);
        GT_TRY(gt_array_push(&at->values, value));
    }
    return GPUTUNE_OK;
}

static gputune_status read_row(reader *at, const gt_json *json)
{
    const gt_json *configuration = at->is_t4 ? gt_json_member(json, "configuration") : json;
    gt_recorded_entry entry = {.line = json->line};
    GT_REFUSE(!configuration || configuration->kind != GT_JSON_OBJECT, GPUTUNE_ERECORDED,
              "%s; expected an object",
              at->is_t4 ? "there is no 'configuration'" : "no configuration");
    GT_TRY(at->names.count ? GPUTUNE_OK : take_names(at, configuration));
    GT_TRY((at->is_t4 ? read_t4 : read_cached)(&entry, json));
    GT_TRY(take_values(at, configuration));
    return gt_array_push(&at->space.entries, entry);
}

/* Returns true if a T4 result has a configuration that the constraints exclude. */
static bool is_excluded(const reader *at, const gt_json *json)
{
    const char *word = at->is_t4 ? gt_json_text(gt_json_member(json, "invalidity")) : NULL;
    return word && strcmp(word, "constraints") == 0;
}

static gputune_status read_rows(reader *at)
{
    for (const gt_json *one = NULL; (one = gt_json_after(at->entries, one)) != NULL;) {
        gputune_status status = is_excluded(at, one) ? GPUTUNE_OK : read_row(at, one);
        if (status != GPUTUNE_OK && one->name) {
            status = gt_fail_prefix(status, "entry '%.80s'", one->name);
        }
        GT_TRY(fail_at(at, one->line, status));
        GT_REFUSE(gt_is_canceled(at->cancel), GPUTUNE_ECANCELED, "%s: stopped on request",
                  at->path);
    }
    return GPUTUNE_OK;
}

/* Orders numbers by value. Words come after numbers, in alphabetical order. */
static int compare(const void *left, const void *right)
{
    const gt_json *a = left, *b = right;
    const bool is_word = a->kind == GT_JSON_TEXT, other_is = b->kind == GT_JSON_TEXT;
    return is_word && other_is   ? strcmp(a->text, b->text)
           : is_word != other_is ? is_word - other_is
                                 : (a->number > b->number) - (a->number < b->number);
}

static const gt_json *value_of(const reader *at, size_t row, size_t name)
{
    return at->values.items[row * at->names.count + name];
}

/* Finds the distinct values of a parameter in ascending order. */
static gputune_status find_choices(gt_json_list *out, const reader *at, size_t name)
{
    const gt_json *listed = gt_json_member(at->listed, at->names.items[name]);
    size_t count = 0;
    for (const gt_json *one = NULL; (one = gt_json_after(listed, one)) != NULL;) {
        GT_TRY(gt_array_push(out, *one));
    }
    for (size_t row = 0; !listed && row < at->space.entries.count; row++) {
        GT_TRY(gt_array_push(out, *value_of(at, row, name)));
    }
    gt_array_sort(out, compare);
    for (size_t i = 0; i < out->count; i++) {
        if (!i || compare(&out->items[i], &out->items[count - 1]) != 0) {
            out->items[count++] = out->items[i];
        }
    }
    out->count = count;
    return GPUTUNE_OK;
}

static gputune_status add_axis(gt_recorded *out, const gt_json_list *from)
{
    GT_FREED double *values = malloc(from->count * sizeof *values);
    GT_TRY(gt_allocated(values));
    bool words = false;
    for (size_t i = 0; i < from->count; i++) {
        words |= from->items[i].kind == GT_JSON_TEXT;
        values[i] = from->items[i].number;
    }
    return gt_recorded_axis(out, words ? NULL : values, (uint32_t)from->count);
}

/* Adds the axis of a parameter and sets its choice in each row. Skips parameters with one value. */
static gputune_status take_parameter(reader *at, size_t name)
{
    gt_recorded *out = &at->space;
    GT_FREED gt_json_list choices = {0};
    GT_TRY(find_choices(&choices, at, name));
    if (choices.count > 1) {
        GT_TRY(fail_at(at, at->entries->line, add_axis(out, &choices)));
    }
    for (size_t row = 0; row < at->space.entries.count; row++) {
        gt_recorded_entry *entry = &at->space.entries.items[row];
        const gt_json *found = choices.count
                                   ? bsearch(value_of(at, row, name), choices.items, choices.count,
                                             sizeof *choices.items, compare)
                                   : NULL;
        GT_REFUSE(!found, GPUTUNE_ERECORDED,
                  "%s:%d: the value of '%s' is not among those that tune_params lists", at->path,
                  entry->line, at->names.items[name]);
        if (choices.count > 1) {
            entry->tried.point.choice[out->axis_count - 1] = (uint16_t)(found - choices.items);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status read_space(reader *at)
{
    GT_TRY(gt_recorded_text(&at->text, at->path, TEXT_MOST, at->cancel));
    GT_TRY(parse(at));
    GT_REFUSE(!at->is_t4 && !at->names.count, GPUTUNE_ERECORDED,
              "%s: there is no 'tune_params_keys'; expected the parameters' names", at->path);
    GT_TRY(read_rows(at));
    for (size_t i = 0; i < at->names.count; i++) {
        GT_TRY(take_parameter(at, i));
    }
    gputune_status status = gt_recorded_finish(&at->space);
    return status == GPUTUNE_OK ? status : gt_fail_prefix(status, "%s", at->path);
}

gputune_status gt_recorded_read(gt_recorded *out, const char *path, const gt_log *log,
                                const volatile int *cancel)
{
    reader at = {.path = path, .log = log, .cancel = cancel};
    gputune_status status = read_space(&at);
    gt_array_free(&at.values);
    gt_array_free(&at.names);
    gt_array_free(&at.json);
    gt_text_free(&at.text);
    if (status != GPUTUNE_OK) {
        gt_recorded_free(&at.space);
        return status;
    }
    *out = at.space;
    return GPUTUNE_OK;
}
