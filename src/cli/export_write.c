/* A scenario as a cache file of Kernel Tuner, or as T4 results. Times there are milliseconds. */
#include "cli/export.h"

#include "cli/console.h"
#include "cli/json.h"
#include "cli/sizes.h"

#include <string.h>

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

/* The key is what Kernel Tuner joins of the values. */
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
