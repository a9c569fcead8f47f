/* gputune export: one measured scenario as another tool's file. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/export.h"
#include "cli/files.h"
#include "cli/tuning.h"

/* The options. */
static struct {
    cli_common common;
    cli_list sizes;
    const char *gpu, *scenario, *output;
    int format, objective, cache;
} given = {.common.read_only = true};

static const char *const format_words[] = {"t4", "kernel-tuner", NULL};
static const char *const cache_words[] = {"any", "cold", "hot", NULL};

static int export_scenario(const cli_measured *from)
{
    cli_export data;
    cli_output output;
    cli_export_format format = (cli_export_format)given.format;
    if (from->shared.objective == GPUTUNE_OBJECTIVE_ENERGY && format == CLI_EXPORT_KERNEL_TUNER) {
        return cli_stop(CLI_EXIT_USAGE,
                        "this scenario holds energies, and a cache of Kernel Tuner times; --format "
                        "t4 has both");
    }
    cli_export_make(&data, from);
    CLI_TRY(cli_output_open(&output, given.output, true));
    cli_export_write(&data, format, output.file);
    int code = cli_output_close(&output, CLI_EXIT_OK);
    if (code == CLI_EXIT_OK) {
        cli_export_say_limits(&data, format);
    }
    return code;
}

static int export_kernel(const cli_session *session, const cli_catalogue *catalogue)
{
    cli_measured_list list = {NULL, 0};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    const cli_measured *one;
    const char *sizes;
    filter.all_trials = filter.any_gpu = true;
    filter.history = given.scenario != NULL;
    CLI_TRY(cli_stored_read(&filter, session, catalogue, cli_measured_add, &list));
    if (!list.count) {
        return cli_stored_nothing(session, &filter);
    }
    CLI_TRY(cli_stored_sizes(&sizes, &given.sizes));
    const cli_measured_name name = {.sizes = sizes,
                                    .objective = given.objective,
                                    .cache = given.cache - 1,
                                    .gpu = given.gpu,
                                    .scenario = given.scenario};
    CLI_TRY(cli_measured_choose(&one, &list, &name));
    return export_scenario(one);
}

static const cli_option options[] = {
    {"format", 'f', CLI_OPTION_CHOICE, &given.format, NULL, format_words,
     "results of the T4 format, or a cache file of Kernel Tuner [t4]"},
    {"size", 's', CLI_OPTION_LIST, &given.sizes, "NAME=V", NULL,
     "the scenario's problem sizes; may be repeated"},
    {"objective", 0, CLI_OPTION_CHOICE, &given.objective, NULL, cli_objective_any_words,
     "its objective [any]"},
    {"cache", 0, CLI_OPTION_CHOICE, &given.cache, NULL, cache_words, "its cache mode [any]"},
    {"gpu", 0, CLI_OPTION_TEXT, &given.gpu, "GPU", NULL,
     "the GPU it was measured on: a part of its name, or its environment"},
    {"scenario", 0, CLI_OPTION_TEXT, &given.scenario, "HASH", NULL,
     "the scenario by its hash, also one of an earlier version of the template"},
    CLI_OUTPUT_OPTION(&given.output),
    CLI_FILE_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

static int export_stored(const cli_arguments *arguments)
{
    cli_catalogue catalogue;
    cli_session session;
    CLI_TRY(cli_open(&session, &given.common, CLI_OPEN_NO_DEVICE));
    CLI_TRY(cli_catalogue_stored(&catalogue, &session, arguments->items[0]));
    CLI_TRY(cli_catalogue_one(&catalogue));
    return export_kernel(&session, &catalogue);
}

const cli_command cmd_export = {
    "export",
    "what was measured, as other tools' files",
    "KERNEL|PATH",
    "Writes what was measured of one scenario so that other tools read it.",
    "Every trial is written: times in milliseconds (the median), compile times, and failures "
    "with their kind. Where several scenarios are stored that fit, they are listed with the "
    "options that name each. An axis with words among its values is written as strings; a size "
    "that is a word is an axis of one value. Needs no GPU.",
    1,
    1,
    options,
    export_stored};
