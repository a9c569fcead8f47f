/* The command export: writes trials as a T4 results file or a Kernel Tuner cache file. */
#include "cli/files.h"
#include "cli/records.h"

#include "base/selection.h"
#include "base/text.h"

#include <string.h>

static struct {
    const char *sizes_text; /* the value of --size in the library's format; NULL: all sizes */
    const char *scenario;
    int format, objective, cache;
} given;

enum { T4, KERNEL_TUNER };
static const char *const format_words[] = {"t4", "kernel-tuner", NULL};
static const char *const cache_words[] = {"any", "cold", "hot", NULL};

enum { MOST_LISTED = 20, SHORT_HASH = 8 };

static bool is_named(const cli_measured *one)
{
    const gputune_record *of = one->trials;
    const char *hash = given.scenario ? given.scenario : "";
    return (!given.sizes_text || gt_sizes_match(of->sizes, given.sizes_text, false)) &&
           (!given.objective || (int)of->objective == given.objective) &&
           (!given.cache || (int)of->cache == given.cache - 1) &&
           (!cli_given.gpu || gt_gpu_matches(of->gpu, of->environment, cli_given.gpu)) &&
           strncmp(of->scenario, hash, strlen(hash)) == 0;
}

/* Prints a scenario and the options that select only this scenario. */
static void print_choice(const cli_measured *one, const cli_measured_list *list)
{
    const gputune_record *of = one->trials;
    bool is_ambiguous = false; /* true if the GPU's name is also a part of another GPU's name */
    for (size_t i = 0; i < list->count; i++) {
        const gputune_record *other = list->items[i].trials;
        is_ambiguous |=
            strcmp(other->environment, of->environment) != 0 && strcasestr(other->gpu, of->gpu);
    }
    cli_error("  --scenario %.*s --gpu '%s'%s%s: %s %s, %s, %s, alignment %s, %s, %zu trials",
              SHORT_HASH, of->scenario, is_ambiguous ? of->environment : of->gpu,
              is_ambiguous ? ", " : "", is_ambiguous ? of->gpu : "", of->kernel,
              cli_short_sizes(of->sizes), gputune_objective_name(of->objective),
              gputune_cache_name(of->cache), of->alignment, of->inputs, one->count);
}

/* Sets *out to the scenario that the options select. If they select none or more than one, lists
 * the candidates and returns CLI_EXIT_USAGE. */
static int choose_kernel(const cli_measured **out, const cli_measured_list *list,
                         const char *kernel)
{
    size_t found = 0, printed = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(&list->items[i])) {
            *out = &list->items[i];
            found++;
        }
    }
    if (found == 1) {
        return CLI_CONTINUE;
    }
    cli_error("%s",
              found ? cli_format("%zu scenarios of %s match; select one of them:", found, kernel)
                    : cli_format("no stored scenario of %s matches; expected one of:", kernel));
    for (size_t i = 0; i < list->count; i++) {
        if ((!found || is_named(&list->items[i])) && printed++ < MOST_LISTED) {
            print_choice(&list->items[i], list);
        }
    }
    if (printed > MOST_LISTED) {
        cli_error("  and %zu more; --size, --objective, --cache and --gpu select among them",
                  printed - MOST_LISTED);
    }
    return CLI_EXIT_USAGE;
}

typedef struct outcome {
    const char *status, *kernel_tuner,
        *t4;    /* names of the status in gputune, Kernel Tuner (NULL: success) and T4 */
    bool exact; /* true if both formats can express the status exactly */
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
    return &outcomes[gt_index_of(trial->status, outcomes, sizeof outcomes / sizeof *outcomes - 1)];
}

static char *format_ms(double ns)
{
    return cli_json_number(ns * 1e-6);
}

static double benchmark_ns(const gputune_record *trial)
{
    return trial->samples * trial->mean_ns;
}

/* Returns a value as JSON: a number if all values of the axis are integers, otherwise a string. */
static const char *value_of(const cli_value_list *axis, size_t choice)
{
    int64_t number;
    for (size_t i = 0; i < axis->count; i++) {
        if (gt_read_int(&number, axis->values[i]) != GT_INT_READ) {
            return cli_json_text(axis->values[choice]);
        }
    }
    return axis->values[choice];
}

/* Returns an entry's configuration as JSON: "\"BLOCK\": 256, ...". */
static char *configuration_of(const cli_apart *data, const cli_entry *entry)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < data->axes.count; i++) {
        const cli_value_list *axis = &data->axes.items[i];
        cli_append(&text, "%s%s: %s", i ? ", " : "", cli_json_text(axis->name),
                   value_of(axis, entry->choice[i]));
    }
    return text;
}

static const char *failure_of(const gputune_record *trial)
{
    return outcome_of(trial)->kernel_tuner
               ? cli_format(", \"status\": %s, \"message\": %s", cli_json_text(trial->status),
                            cli_json_text(trial->message))
               : "";
}

static void write_problem(const cli_apart *data, const char *separator, FILE *file)
{
    const char *text = data->from->trials->sizes, *comma = "";
    char *name, *value;
    fprintf(file, "\"device_name\": %s%s\"kernel_name\": %s%s\"problem_size\": [",
            cli_json_text(data->from->trials->gpu), separator,
            cli_json_text(data->from->trials->kernel), separator);
    while (cli_next_pair(&text, &name, &value)) {
        int64_t number;
        if (!cli_size_number(&number, value)) {
            fprintf(file, "%s%s", comma, value);
            comma = ", ";
        }
    }
}

static void write_entries(const cli_apart *data,
                          void (*write)(const cli_apart *data, const cli_entry *entry, FILE *file),
                          FILE *file)
{
    for (size_t i = 0; i < data->entry_count; i++) {
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        fputs(i ? ",\n" : "\n", file);
        write(data, &data->entries[i], file);
    }
}

/* ---- Kernel Tuner's cache format, version 1.1.0 ---- */

/* Writes a cache entry. Its key consists of the values, joined by commas. */
static void write_cached(const cli_apart *data, const cli_entry *entry, FILE *file)
{
    const gputune_record *trial = entry->trial;
    const char *failure = outcome_of(trial)->kernel_tuner, *time = format_ms(trial->median_ns);
    char *key = cli_copy("");
    for (size_t i = 0; i < data->axes.count; i++) {
        cli_append(&key, "%s%s", i ? "," : "", data->axes.items[i].values[entry->choice[i]]);
    }
    fprintf(file, "%s: {%s%s\"time\": ", cli_json_text(key), configuration_of(data, entry),
            data->axes.count ? ", " : "");
    fprintf(file, failure ? "\"%s\"%s" : "%s, \"times\": [%s]", failure ? failure : time,
            failure ? failure_of(trial) : time);
    fprintf(file,
            ", \"compile_time\": %s, \"verification_time\": 0, \"benchmark_time\": %s, "
            "\"strategy_time\": 0, \"framework_time\": 0, \"timestamp\": %s}",
            format_ms(trial->compile_ns), format_ms(benchmark_ns(trial)),
            cli_json_text(trial->created));
}

/* Writes the cache file. Kernel Tuner searches for the closing braces, so the layout matters. */
static void write_cache(const cli_apart *data, FILE *file)
{
    fputs("{\n\"schema_version\": \"1.1.0\",\n", file);
    write_problem(data, ",\n", file);
    fputs("],\n\"tune_params_keys\": [", file);
    for (size_t i = 0; i < data->axes.count; i++) {
        fprintf(file, "%s%s", i ? ", " : "", cli_json_text(data->axes.items[i].name));
    }
    fputs("],\n\"tune_params\": {", file);
    for (size_t i = 0; i < data->axes.count; i++) {
        const cli_value_list *axis = &data->axes.items[i];
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

/* Writes a T4 result. Times are in milliseconds, energies in millijoules. */
static void write_result(const cli_apart *data, const cli_entry *entry, FILE *file)
{
    const gputune_record *trial = entry->trial;
    bool by_energy = data->from->trials->objective == GPUTUNE_OBJECTIVE_ENERGY;
    bool right = !outcome_of(trial)->kernel_tuner, timed = right && !by_energy;
    const char *objective = by_energy ? "energy" : "time", *value = format_ms(trial->median_ns);
    fprintf(file,
            "{\"timestamp\": %s, \"configuration\": {%s}, \"times\": {\"compilation\": %s, "
            "\"benchmark\": %s, \"framework\": 0, \"search_algorithm\": 0, \"validation\": 0, "
            "\"runtimes\": [%s]}, \"invalidity\": \"%s\", \"correctness\": %d, \"measurements\": [",
            cli_json_text(trial->created), configuration_of(data, entry),
            format_ms(trial->compile_ns), format_ms(timed ? benchmark_ns(trial) : 0),
            timed ? value : "", outcome_of(trial)->t4, strcmp(trial->status, "wrong") != 0);
    if (right) {
        fprintf(file, "{\"name\": \"%s\", \"value\": %s, \"unit\": \"%s\"}", objective, value,
                by_energy ? "mJ" : "ms");
    }
    fprintf(file, "], \"objectives\": [\"%s\"]%s}", objective, failure_of(trial));
}

static void write_t4(const cli_apart *data, FILE *file)
{
    fputs("{\"schema_version\": \"1.0.0\",\n\"metadata\": {\"timeunit\": \"milliseconds\", ", file);
    write_problem(data, ", ", file);
    fputs("]},\n\"results\": [", file);
    write_entries(data, write_result, file);
    fputs("]}\n", file);
}

static void print_limits(const cli_apart *data)
{
    size_t inexact = 0;
    for (size_t i = 0; i < data->entry_count; i++) {
        inexact += !outcome_of(data->entries[i].trial)->exact;
    }
    if (inexact && given.format == KERNEL_TUNER) {
        cli_note("Kernel Tuner has no status for wrong results or hangs: %zu such trials are "
                 "written as RuntimeFailedConfig; the field 'status' has their real status",
                 inexact);
    }
    if (data->unmeasured) {
        cli_note("left out %zu trials that were neither measured nor failed", data->unmeasured);
    }
}

static int export_scenario(const cli_measured *from)
{
    cli_apart data;
    cli_output output;
    CLI_REFUSE(from->trials->objective == GPUTUNE_OBJECTIVE_ENERGY && given.format == KERNEL_TUNER,
               CLI_EXIT_USAGE,
               "this scenario was tuned for energy, but Kernel Tuner's cache files have only "
               "times; use --format t4");
    cli_take_apart(&data, from, false);
    CLI_TRY(cli_output_open(&output, cli_given.output, true));
    (given.format == T4 ? write_t4 : write_cache)(&data, output.file);
    int code = cli_output_close(&output);
    if (code == CLI_EXIT_OK) {
        print_limits(&data);
    }
    return code;
}

static const cli_option options[] = {
    {"format", 'f', CLI_OPTION_CHOICE, &given.format, NULL, format_words,
     "results of the T4 format, or a cache file of Kernel Tuner [t4]"},
    {"size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V", NULL,
     "the scenario's problem sizes; may be repeated"},
    {"objective", 0, CLI_OPTION_CHOICE, &given.objective, NULL, cli_objective_any_words,
     "its objective [any]"},
    {"cache", 0, CLI_OPTION_CHOICE, &given.cache, NULL, cache_words, "its cache mode [any]"},
    {"gpu", 0, CLI_OPTION_TEXT, &cli_given.gpu, "GPU", NULL,
     "the GPU it was measured on: a part of its name, or its environment"},
    {"scenario", 0, CLI_OPTION_TEXT, &given.scenario, "HASH", NULL,
     "the scenario with this hash, even of an earlier version of the template"},
    CLI_SHIPPED_OPTION,
    CLI_OUTPUT_OPTION,
    CLI_FILE_OPTIONS,
};

static int export_stored(const cli_list *arguments)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    cli_records records = {NULL, 0};
    gputune_record_filter filter = {.size = sizeof filter,
                                    .all_trials = true,
                                    .any_gpu = true,
                                    .history = given.scenario != NULL};
    const cli_measured *one;
    cli_read_own_results();
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    CLI_TRY(cli_records_read(&records, &filter, &session, arguments->items[0]));
    if (!records.count) {
        return cli_stored_nothing(&session, &filter);
    }
    const cli_measured_list list = cli_measured_of(&records);
    CLI_TRY(cli_stored_sizes(&given.sizes_text));
    CLI_TRY(choose_kernel(&one, &list, arguments->items[0]));
    return export_scenario(one);
}

const cli_command cmd_export = {
    "export",
    "write results in the formats of other tools",
    "KERNEL|PATH",
    "Writes the measurements of one scenario for other tools.",
    "Writes every trial with its median time in milliseconds, its compile time, and the kind of "
    "its failure. If several scenarios match, they are listed with the options that select each. "
    "The values of an axis are written as strings if one of them is a word; a size that is a word "
    "becomes an axis with one value. Needs no GPU.",
    {1, 1},
    options,
    export_stored};
