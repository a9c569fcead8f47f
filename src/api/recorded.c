/* A recorded space from its file, plain or gzip: first the members are found, then the values of
 * the parameters, then the place of each entry among them. */
#include "api/recorded.h"

#include "api/json.h"
#include "base/file.h"
#include "base/patience.h"
#include "search/recorded.h"

#include <errno.h>
#include <jansson.h>
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
    if (code == Z_ERRNO) {
        return gt_fail(GPUTUNE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (code == Z_MEM_ERROR) {
        return gt_fail_memory();
    }
    if (code == Z_BUF_ERROR) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s: the gzip data is cut short; expected a whole file: copy it again",
                       path);
    }
    return gt_fail(GPUTUNE_ERECORDED, "%s: the gzip data is damaged (%s): copy it again", path,
                   message);
}

/* A small packed file may have a text that fills all memory. */
static gputune_status read_all(gt_text *out, gzFile file, const char *path, size_t most,
                               const volatile int *cancel)
{
    char piece[PIECE];
    int count, code;
    while ((count = gzread(file, piece, sizeof piece)) > 0) {
        gt_text_append_bytes(out, piece, (size_t)count);
        if (out->length > most) {
            return gt_fail(GPUTUNE_ERECORDED,
                           "%s: its text is longer than %zu bytes; expected a recorded space", path,
                           most);
        }
        if (gt_is_canceled(cancel)) {
            return gt_fail(GPUTUNE_ECANCELED, "%s: stopped on request", path);
        }
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

/* The names of failures: a part of the word, and the outcome. Kernel Tuner's InvalidConfig does not
 * build. */
static const struct {
    const char *part;
    gt_tried_outcome outcome;
} failures[] = {
    {"InvalidConfig", GT_TRIED_COMPILE}, {"ompil", GT_TRIED_COMPILE}, {"untime", GT_TRIED_LAUNCH},
    {"imeout", GT_TRIED_HUNG},           {"orrect", GT_TRIED_WRONG},  {"erif", GT_TRIED_WRONG},
};

static bool find_failure(gt_tried_outcome *out, const char *word)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (strstr(word, failures[i].part)) {
            *out = failures[i].outcome;
            return true;
        }
    }
    return false;
}

/* A duration in milliseconds, as seconds; 0 where there is none. */
static gputune_status read_seconds(double *out, const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json, name);
    *out = 0;
    if (!value || json_is_null(value)) {
        return GPUTUNE_OK;
    }
    if (!json_is_number(value) || !(json_number_value(value) >= 0)) {
        return gt_fail(GPUTUNE_ERECORDED, "'%s' is not a duration; expected milliseconds", name);
    }
    *out = json_number_value(value) * 1e-3;
    return GPUTUNE_OK;
}

/* Sets the outcome from what is recorded as the time: a number, or a failure's name. */
static gputune_status read_time(gt_tried *out, const json_t *value, const char *name,
                                double unit_ns)
{
    if (!value) {
        return gt_fail(GPUTUNE_ERECORDED, "there is no '%s'; expected a time or a failure's name",
                       name);
    }
    if (json_is_string(value)) {
        const char *word = json_string_value(value);
        return find_failure(&out->outcome, word)
                   ? GPUTUNE_OK
                   : gt_fail(GPUTUNE_ERECORDED,
                             "'%s' is \"%s\"; expected a number, or a failure's name such as "
                             "RuntimeFailedConfig",
                             name, word);
    }
    if (!json_is_number(value)) {
        return gt_fail(GPUTUNE_ERECORDED, "'%s' is neither a number nor a failure's name", name);
    }
    if (!(json_number_value(value) > 0)) {
        return gt_fail(GPUTUNE_ERECORDED, "'%s' is %g; expected a positive time", name,
                       json_number_value(value));
    }
    if (!isfinite(json_number_value(value) * unit_ns)) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "'%s' is %g; expected a time that is finite in nanoseconds", name,
                       json_number_value(value));
    }
    out->outcome = GT_TRIED_OK;
    out->time_ns = json_number_value(value) * unit_ns;
    return GPUTUNE_OK;
}

/* Reads all but the point from an entry of Kernel Tuner's cache or of T4 results. ERECORDED says
 * what is wrong, without the place. */
static gputune_status gt_recorded_entry_cache(gt_recorded_entry *out, const json_t *json)
{
    size_t launches = json_array_size(json_object_get(json, "times"));
    *out = (gt_recorded_entry){0};
    GT_TRY(read_time(&out->tried, json_object_get(json, "time"), "time", 1e6));
    GT_TRY(read_seconds(&out->tried.compile_s, json, "compile_time"));
    GT_TRY(read_seconds(&out->tried.measure_s, json, "benchmark_time"));
    GT_TRY(read_seconds(&out->worker_s, json, "framework_time"));
    out->launch_s = out->tried.measure_s / (double)(launches ? launches : 1);
    return GPUTUNE_OK;
}

/* Whether a T4 result is of a configuration that the constraints exclude: no part of the space. */
static bool gt_recorded_is_excluded(const json_t *json)
{
    const char *word = json_string_value(json_object_get(json, "invalidity"));
    return word && strcmp(word, "constraints") == 0;
}

/* The measurement that is minimised: the first objective's. */
static const json_t *find_measurement(const json_t *json, const char **name)
{
    const json_t *all = json_object_get(json, "measurements"), *one;
    const char *objective =
        json_string_value(json_array_get(json_object_get(json, "objectives"), 0));
    *name = objective ? objective : "time";
    size_t i;
    json_array_foreach(all, i, one)
    {
        const char *of = json_string_value(json_object_get(one, "name"));
        if (of && strcmp(of, *name) == 0) {
            return one;
        }
    }
    return NULL;
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

/* The launches' times, which count where no time for all of them is given. */
static gputune_status sum_runs(double *out, const json_t *times)
{
    const json_t *runs = json_object_get(times, "runtimes"), *run;
    size_t i;
    *out = 0;
    json_array_foreach(runs, i, run)
    {
        double milliseconds = json_number_value(run);
        if (milliseconds < 0) {
            return gt_fail(GPUTUNE_ERECORDED, "'runtimes' has %g; expected milliseconds",
                           milliseconds);
        }
        *out += milliseconds * 1e-3;
    }
    return GPUTUNE_OK;
}

static gputune_status gt_recorded_entry_t4(gt_recorded_entry *out, const json_t *json)
{
    const char *invalidity = json_string_value(json_object_get(json, "invalidity")), *name;
    const json_t *times = json_object_get(json, "times");
    size_t launches = json_array_size(json_object_get(times, "runtimes"));
    double benchmark, runs;
    *out = (gt_recorded_entry){0};
    if (!invalidity) {
        return gt_fail(GPUTUNE_ERECORDED, "there is no 'invalidity'; expected correct, compile, "
                                          "runtime, timeout, correctness or constraints");
    }
    if (strcmp(invalidity, "correct") == 0) {
        const json_t *measurement = find_measurement(json, &name);
        const char *unit = json_string_value(json_object_get(measurement, "unit"));
        GT_TRY(read_time(&out->tried, json_object_get(measurement, "value"), name,
                         nanoseconds_of(unit)));
        if (out->tried.outcome != GT_TRIED_OK) {
            return gt_fail(GPUTUNE_ERECORDED,
                           "'invalidity' is correct, and '%s' is a failure's "
                           "name; expected one of both",
                           name);
        }
    } else if (!find_failure(&out->tried.outcome, invalidity)) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "'invalidity' is \"%s\"; expected correct, compile, "
                       "runtime, timeout, correctness or constraints",
                       invalidity);
    }
    GT_TRY(read_seconds(&out->tried.compile_s, times, "compilation"));
    GT_TRY(read_seconds(&out->worker_s, times, "framework"));
    GT_TRY(read_seconds(&benchmark, times, "benchmark"));
    GT_TRY(sum_runs(&runs, times));
    out->tried.measure_s = benchmark > 0 ? benchmark : runs;
    out->launch_s = out->tried.measure_s / (double)(launches ? launches : 1);
    return GPUTUNE_OK;
}

enum { TEXT_MOST = 1 << 30 }; /* bytes */

/* An entry that was read, its values in the order of the names. */
typedef struct row {
    gt_recorded_entry entry;
    json_t *values; /* an array */
} row;

typedef struct reader {
    const char *path;
    const gt_log *log;
    const volatile int *cancel;
    gt_text text;
    bool is_t4;
    gt_json_piece entries; /* the container of all; text NULL: not found */
    json_t *names;         /* of the parameters, an array of strings */
    json_t *listed;        /* their values, as the file lists them, or NULL */
    GT_ARRAY(row) rows;
} reader;

static gputune_status parse(json_t **out, const reader *at, const gt_json_piece *piece)
{
    int line;
    gputune_status status = gt_json_parse(out, &line, piece->text, piece->length);
    return status == GPUTUNE_EINVAL
               ? gt_fail_prefix(GPUTUNE_ERECORDED, "%s:%d", at->path, piece->line + line - 1)
               : status;
}

/* Keeps a member's value; if the member comes again, the last value counts. */
static gputune_status keep(json_t **kept, const reader *at, const gt_json_piece *piece)
{
    json_t *parsed;
    GT_TRY(parse(&parsed, at, piece));
    json_decref(*kept);
    *kept = parsed;
    return GPUTUNE_OK;
}

static bool is_key(const gt_json_piece *piece, const char *word)
{
    return piece->key && piece->key_length == strlen(word) &&
           memcmp(piece->key, word, piece->key_length) == 0;
}

static gputune_status take_member(reader *at, const gt_json_piece *piece)
{
    if (is_key(piece, "tune_params_keys")) {
        GT_TRY(keep(&at->names, at, piece));
    } else if (is_key(piece, "tune_params")) {
        GT_TRY(keep(&at->listed, at, piece));
    } else if (is_key(piece, "cache") || is_key(piece, "results")) {
        at->entries = *piece;
        at->is_t4 = is_key(piece, "results");
    }
    return GPUTUNE_OK;
}

static gputune_status find_members(reader *at)
{
    const char *text = gt_text_string(&at->text);
    gt_json_scan scan = {text, text + at->text.length, 1, 0};
    gt_json_piece piece = {0};
    if (!gt_json_enter(&scan)) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s:%d: no JSON object; expected a cache file of Kernel Tuner or T4 results",
                       at->path, scan.line);
    }
    gt_json_step step;
    while ((step = gt_json_next(&scan, &piece)) == GT_JSON_MEMBER) {
        GT_TRY(take_member(at, &piece));
    }
    if (step == GT_JSON_CUT && (is_key(&piece, "cache") || is_key(&piece, "results"))) {
        GT_TRY(take_member(at, &piece));
    }
    if (step == GT_JSON_BAD) {
        return gt_fail(GPUTUNE_ERECORDED, "%s:%d: not JSON; expected a member of an object",
                       at->path, scan.line);
    }
    if (!at->entries.text) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s:%d: neither 'cache' nor 'results' up to here; expected a cache file of "
                       "Kernel Tuner or T4 results",
                       at->path, scan.line);
    }
    return GPUTUNE_OK;
}

/* Fails with the message, and puts the place in the file before it. */
static gputune_status fail_at(const reader *at, const gt_json_piece *piece, gputune_status status)
{
    if (piece->key) {
        return gt_fail_prefix(status, "%s:%d: entry '%.*s'", at->path, piece->line,
                              (int)(piece->key_length < 80 ? piece->key_length : 80), piece->key);
    }
    return gt_fail_prefix(status, "%s:%d", at->path, piece->line);
}

/* The parameters' names of T4 results: those of the first configuration. */
static gputune_status take_names(reader *at, const json_t *configuration)
{
    const char *name;
    json_t *value;
    if (at->names) {
        return GPUTUNE_OK;
    }
    at->names = json_array();
    json_object_foreach((json_t *)configuration, name, value)
    {
        if (json_array_append_new(at->names, json_string(name)) != 0) {
            return gt_fail_memory();
        }
    }
    return gt_allocated(at->names);
}

/* The entry's values, each a number or a word. */
static gputune_status take_values(row *out, const reader *at, const json_t *configuration)
{
    json_t *name;
    size_t i;
    out->values = json_array();
    json_array_foreach(at->names, i, name)
    {
        const char *word = json_string_value(name);
        json_t *value = word ? json_object_get(configuration, word) : NULL;
        if (!value) {
            return gt_fail(GPUTUNE_ERECORDED,
                           "there is no '%s'; expected a value of every "
                           "parameter",
                           word ? word : "?");
        }
        if (!json_is_number(value) && !json_is_string(value) && !json_is_boolean(value)) {
            return gt_fail(GPUTUNE_ERECORDED, "'%s' is neither a number nor a word", word);
        }
        if (json_array_append(out->values, value) != 0) {
            return gt_fail_memory();
        }
    }
    return gt_allocated(out->values);
}

static gputune_status read_row(row *out, reader *at, const json_t *json)
{
    const json_t *configuration = at->is_t4 ? json_object_get(json, "configuration") : json;
    if (!json_is_object(configuration)) {
        return gt_fail(GPUTUNE_ERECORDED, "%s; expected an object",
                       at->is_t4 ? "there is no 'configuration'" : "no configuration");
    }
    GT_TRY(take_names(at, configuration));
    GT_TRY(at->is_t4 ? gt_recorded_entry_t4(&out->entry, json)
                     : gt_recorded_entry_cache(&out->entry, json));
    return take_values(out, at, configuration);
}

static gputune_status add_row(reader *at, const gt_json_piece *piece)
{
    GT_TRY(gt_array_reserve(&at->rows));
    json_t *json;
    GT_TRY(parse(&json, at, piece));
    gputune_status status = GPUTUNE_OK;
    if (!at->is_t4 || !gt_recorded_is_excluded(json)) {
        row *row = &at->rows.items[at->rows.count++];
        *row = (struct row){0};
        status = read_row(row, at, json);
        row->entry.line = piece->line;
    }
    json_decref(json);
    return status == GPUTUNE_OK ? status : fail_at(at, piece, status);
}

static gputune_status read_rows(reader *at)
{
    gt_json_scan scan = gt_json_inside(&at->entries);
    gt_json_piece piece = {0};
    gt_json_step step = gt_json_enter(&scan) ? GT_JSON_MEMBER : GT_JSON_BAD;
    while (step == GT_JSON_MEMBER && (step = gt_json_next(&scan, &piece)) == GT_JSON_MEMBER) {
        if (gt_is_canceled(at->cancel)) {
            return gt_fail(GPUTUNE_ECANCELED, "%s: stopped on request", at->path);
        }
        GT_TRY(add_row(at, &piece));
        piece = (gt_json_piece){0};
    }
    if (step == GT_JSON_BAD) {
        return gt_fail(GPUTUNE_ERECORDED, "%s:%d: not JSON; expected an entry", at->path,
                       scan.line);
    }
    if (step == GT_JSON_CUT && (piece.text || piece.key)) {
        gt_log_line(at->log, GPUTUNE_LOG_WARNING, "%s:%d: the file ends inside an entry; left out",
                    at->path, scan.line);
    }
    return GPUTUNE_OK;
}

static double number_of(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
}

/* Numbers by value, whatever they are written as, before words in the order of their letters. */
static int compare(const json_t *a, const json_t *b)
{
    if (json_is_string(a) || json_is_string(b)) {
        return json_is_string(a) && json_is_string(b)
                   ? strcmp(json_string_value(a), json_string_value(b))
                   : json_is_string(a) - json_is_string(b);
    }
    double x = number_of(a), y = number_of(b);
    return (x > y) - (x < y);
}

static int compare_items(const void *a, const void *b)
{
    return compare(*(json_t *const *)a, *(json_t *const *)b);
}

/* The different values of a parameter, sorted; the references are borrowed. */
typedef struct choices {
    json_t **items;
    size_t count;
} choices;

static gputune_status find_choices(choices *out, const reader *at, size_t name)
{
    const json_t *listed =
        json_object_get(at->listed, json_string_value(json_array_get(at->names, name)));
    size_t all = listed ? json_array_size(listed) : at->rows.count;
    out->count = 0;
    out->items = malloc((all + 1) * sizeof(json_t *));
    GT_TRY(gt_allocated(out->items));
    for (size_t i = 0; i < all; i++) {
        out->items[i] =
            json_array_get(listed ? listed : at->rows.items[i].values, listed ? i : name);
    }
    qsort(out->items, all, sizeof(json_t *), compare_items);
    for (size_t i = 0; i < all; i++) {
        if (!i || compare(out->items[i], out->items[out->count - 1]) != 0) {
            out->items[out->count++] = out->items[i];
        }
    }
    return GPUTUNE_OK;
}

static gputune_status add_axis(gt_recorded *out, const choices *from)
{
    GT_FREED double *values = malloc((from->count + 1) * sizeof *values);
    GT_TRY(gt_allocated(values));
    bool words = false;
    for (size_t i = 0; i < from->count; i++) {
        words |= json_is_string(from->items[i]);
        values[i] = number_of(from->items[i]);
    }
    return gt_recorded_axis(out, words ? NULL : values, (uint32_t)from->count);
}

/* Sets each row's choice on the axis that was added last. */
static gputune_status place_rows(gt_recorded *out, reader *at, const choices *from, size_t name)
{
    const char *word = json_string_value(json_array_get(at->names, name));
    for (uint32_t i = 0; i < at->rows.count; i++) {
        row *row = &at->rows.items[i];
        json_t *value = json_array_get(row->values, name);
        json_t **found = bsearch(&value, from->items, from->count, sizeof(json_t *), compare_items);
        if (!found) {
            return gt_fail(GPUTUNE_ERECORDED,
                           "%s:%d: the value of '%s' is not among those that tune_params lists",
                           at->path, row->entry.line, word);
        }
        if (from->count > 1) {
            row->entry.tried.point.choice[out->axis_count - 1] = (uint16_t)(found - from->items);
        }
    }
    return GPUTUNE_OK;
}

/* A parameter with one value is no axis. */
static gputune_status take_parameter(gt_recorded *out, reader *at, size_t name)
{
    choices choices;
    GT_TRY(find_choices(&choices, at, name));
    gputune_status status = choices.count > 1 ? add_axis(out, &choices) : GPUTUNE_OK;
    if (status != GPUTUNE_OK) {
        status = fail_at(at, &at->entries, status);
    } else {
        status = place_rows(out, at, &choices, name);
    }
    free(choices.items);
    return status;
}

static gputune_status check_names(const reader *at)
{
    if (!at->is_t4 && (!json_is_array(at->names) || !json_array_size(at->names))) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s: there is no 'tune_params_keys'; expected the parameters' names",
                       at->path);
    }
    return GPUTUNE_OK;
}

static gputune_status read_space(gt_recorded *out, reader *at)
{
    GT_TRY(gt_recorded_text(&at->text, at->path, TEXT_MOST, at->cancel));
    GT_TRY(find_members(at));
    GT_TRY(check_names(at));
    GT_TRY(read_rows(at));
    for (size_t i = 0; i < json_array_size(at->names); i++) {
        GT_TRY(take_parameter(out, at, i));
    }
    for (uint32_t i = 0; i < at->rows.count; i++) {
        GT_TRY(gt_recorded_add(out, &at->rows.items[i].entry));
    }
    gputune_status status = gt_recorded_finish(out);
    return status == GPUTUNE_OK ? status : gt_fail_prefix(status, "%s", at->path);
}

gputune_status gt_recorded_read(gt_recorded *out, const char *path, const gt_log *log,
                                const volatile int *cancel)
{
    reader at = {.path = path, .log = log, .cancel = cancel};
    gt_recorded recorded = {0};
    gputune_status status = read_space(&recorded, &at);
    for (uint32_t i = 0; i < at.rows.count; i++) {
        json_decref(at.rows.items[i].values);
    }
    gt_array_free(&at.rows);
    json_decref(at.names);
    json_decref(at.listed);
    gt_text_free(&at.text);
    return GT_GIVE(status, out, recorded, gt_recorded_free(&recorded));
}
