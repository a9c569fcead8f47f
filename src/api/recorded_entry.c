/* Times and failures as Kernel Tuner and T4 write them. */
#include "api/recorded_entry.h"

#include <math.h>
#include <string.h>

/* How failures are called, by a part of the word. Kernel Tuner's InvalidConfig does not build. */
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

gputune_status gt_recorded_entry_cache(gt_recorded_entry *out, const json_t *json)
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

bool gt_recorded_is_excluded(const json_t *json)
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

gputune_status gt_recorded_entry_t4(gt_recorded_entry *out, const json_t *json)
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
