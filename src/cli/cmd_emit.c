/* The commands emit and space: the code of one configuration, and a kernel's axes and exclusions.
 */
#include "cli/files.h"
#include "cli/scenarios.h"
#include "cli/table.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- SASS ------------------------------------------------------------------------------------ */

static const struct tool {
    const char *name, *option;
} tools[] = {{"nvdisasm", "--print-code"}, {"cuobjdump", "-sass"}};

/* Returns the folder that `variable` contains, followed by `rest`; "" if the variable is unset. */
static const char *below(const char *variable, const char *rest)
{
    const char *folder = getenv(variable);
    return folder && folder[0] ? cli_format("%s%s", folder, rest) : "";
}

#define WHEELS "/lib/python3*/*-packages/nvidia/*/bin"

/* Looks for a program on PATH, then in toolkits, then in wheels of the user's Python. */
static char *find_program(const char *name)
{
    const char *at =
        cli_format("%s:%s:/usr/local/cuda/bin:/opt/cuda/bin:%s:%s:/usr/local" WHEELS ":/usr" WHEELS,
                   below("PATH", ""), below("CUDA_HOME", "/bin"), below("VIRTUAL_ENV", WHEELS),
                   below("HOME", "/.local" WHEELS));
    for (size_t length; *at; at += length + (at[length] == ':')) {
        glob_t matches;
        length = strcspn(at, ":");
        if (length && glob(cli_format("%.*s/%s", (int)length, at, name), 0, NULL, &matches) == 0) {
            char *path = cli_copy(matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
            if (access(path, X_OK) == 0) {
                return path;
            }
        }
    }
    return NULL;
}

/* Runs nvdisasm or cuobjdump on the cubin and sends the output to a descriptor. Returns the exit
 * code. */
static int disassemble(const void *cubin, size_t bytes, int output)
{
    char *path = NULL;
    size_t which = 0;
    while (which < sizeof tools / sizeof *tools && !(path = find_program(tools[which].name))) {
        which++;
    }
    CLI_REFUSE(
        !path, CLI_EXIT_PLATFORM,
        "SASS needs nvdisasm or cuobjdump; neither is on PATH, under CUDA_HOME or among Python's "
        "packages: 'pip install nvidia-cuda-nvdisasm' installs one; --as ptx needs none");
    char *folder = cli_tool_make_folder();
    if (!folder) {
        return CLI_EXIT_NOTHING;
    }
    const char *name = cli_format("%s/code.cubin", folder);
    cli_tool run = {{path, tools[which].option, name}, .output = output};
    int code = cli_output_write(name, true, cubin, bytes);
    if (code == CLI_EXIT_OK && cli_tool_run(&run) != 0) {
        cli_error("%s failed%s%s", path, run.said[0] ? ": " : "", run.said);
        code = CLI_EXIT_NOTHING;
    }
    cli_tool_remove_folder(folder);
    return code;
}

/* The options. */
static struct {
    cli_list configurations; /* one at most */
    cli_list archs;          /* one at most without --rule */
    int form, api;
    bool rule;
} given;

enum { SASS = 2, CUBIN = 3 };
static const char *const form_words[] = {"source", "ptx", "sass", "cubin", "whole", NULL};
static const gputune_form forms[] = {GPUTUNE_FORM_SOURCE, GPUTUNE_FORM_PTX, GPUTUNE_FORM_CUBIN,
                                     GPUTUNE_FORM_CUBIN, GPUTUNE_FORM_WHOLE};

static int write_form(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    size_t bytes;
    cli_output output;
    const cli_list *list = &given.configurations;
    CLI_TRY(cli_passed(gputune_emit(&text, &bytes, session->tuner, scenario->kernel->name,
                                    scenario->sizes, list->count ? list->items[0] : NULL,
                                    cli_given.arch, forms[given.form])));
    if (given.form != SASS) {
        return cli_output_write(cli_given.output, true, text, bytes);
    }
    CLI_TRY(cli_output_open(&output, cli_given.output, true));
    return cli_output_close(&output, disassemble(text, bytes, fileno(output.file)));
}

static int write_rule(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    CLI_TRY(
        cli_passed(gputune_emit_rule(&text, session->tuner, scenario->kernel->name, scenario->sizes,
                                     given.archs.items, given.archs.count, given.api)));
    return cli_output_write(cli_given.output, true, text, strlen(text));
}

static const char *const api_words[] = {"driver", "runtime", NULL};

static const cli_option options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\"; other axes as in the default [the default]"},
    {"as", 0, CLI_OPTION_CHOICE, &given.form, NULL, form_words, "the form of the code [source]"},
    {"rule", 0, CLI_OPTION_FLAG, &given.rule, NULL, NULL,
     "a C header with the rule for all sizes that warm --sizes made"},
    {"api", 0, CLI_OPTION_CHOICE, &given.api, NULL, api_words,
     "with --rule: how the header calls CUDA [driver]"},
    {"arch", 0, CLI_OPTION_LIST, &given.archs, "sm_XX", NULL,
     "for this architecture instead of the current GPU; with --rule, repeat it for several"},
    CLI_ONE_SIZE_OPTION,
    CLI_OUTPUT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int emit(const cli_list *arguments)
{
    const cli_list *list = &given.configurations;
    CLI_REFUSE(list->count > 1, CLI_EXIT_USAGE,
               "emit: --config is given twice; write all axes in one: --config \"%s %s\"",
               list->items[0], list->items[1]);
    CLI_REFUSE(given.form == CUBIN && !cli_given.output && isatty(STDOUT_FILENO), CLI_EXIT_USAGE,
               "a cubin is binary; write it to a file with --output FILE");
    CLI_REFUSE(given.rule && (list->count || given.form), CLI_EXIT_USAGE,
               "emit: --rule writes a header with all variants of the rule; omit --config and "
               "--as");
    CLI_REFUSE(!given.rule && (given.archs.count > 1 || given.api), CLI_EXIT_USAGE,
               "emit: --api and more than one --arch apply only to a rule's header; add --rule");
    if (given.rule) {
        cli_given.selection.keeps_sizes = true; /* the header chooses at each size */
        return cli_single(CLI_OPEN_DEVICE, arguments->items[0], write_rule);
    }
    cli_given.arch = given.archs.count ? given.archs.items[0] : NULL;
    return cli_single(cli_given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE, arguments->items[0],
                      write_form);
}

const cli_command cmd_emit = {
    "emit",
    "print the code of a configuration",
    "KERNEL|PATH",
    "Prints the code of one configuration, or of the rule for a kernel's sizes.",
    "The source can be compiled with NVRTC or nvcc: it has the kernel, the values of the "
    "configuration, and the helpers of gputune that the kernel uses. 'whole' is the source exactly "
    "as gputune compiles it. SASS needs nvdisasm or "
    "cuobjdump of the CUDA toolkit.\n\n"
    "--rule writes a C header for programs without gputune. It has the code "
    "of all variants, the choice for each size, and the launch. It is valid "
    "C11, C++11 and CUDA C++.",
    {1, 1},
    options,
    emit};

/* ---- space ----------------------------------------------------------------------------------- */

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define VALUE(name, title, unit) CLI_FIELD(gputune_axis_value, name, title, unit, BOTH)
#define COUNT(name, title)       CLI_FIELD(gputune_space, name, title, CLI_BIG_COUNT, BOTH)

#define CERTAINTY(name) CLI_FIELD(gputune_space, name, "", CLI_CERTAINTY, DATA)

static const cli_column total_columns[] = {
    COUNT(combinations, "combinations"), COUNT(valid, "valid"),        COUNT(sources, "sources"),
    CERTAINTY(valid_certainty),          CERTAINTY(sources_certainty),
};

static const cli_column value_columns[] = {
    VALUE(axis, "axis", CLI_TEXT),         VALUE(kind, "kind", CLI_TEXT),
    VALUE(value, "value", CLI_TEXT),       VALUE(is_default, "default", CLI_YES),
    VALUE(excluded, "excluded", CLI_TEXT),
};

static const cli_column exclusion_columns[] = {
    CLI_FIELD(gputune_exclusion, count, "variants", CLI_BIG_COUNT, BOTH),
    CLI_FIELD(gputune_exclusion, reason, "excluded by", CLI_TEXT, BOTH),
    CLI_FIELD(gputune_exclusion, certainty, "", CLI_CERTAINTY, DATA),
};

static void write_space(const gputune_space *space)
{
    cli_table tables[] = {CLI_TABLE("totals", total_columns, gputune_space, CLI_VIEW),
                          CLI_TABLE("values", value_columns, gputune_axis_value, CLI_VIEW),
                          CLI_TABLE("exclusions", exclusion_columns, gputune_exclusion, CLI_VIEW)};
    cli_table_add(&tables[0], space);
    for (size_t i = 0; i < space->value_count; i++) {
        cli_table_add(&tables[1], &space->values[i]);
    }
    for (size_t i = 0; i < space->exclusion_count; i++) {
        cli_table_add(&tables[2], &space->exclusions[i]);
    }
    cli_tables_write("space", tables, 3, (cli_format_kind)cli_given.format, stdout);
    if (space->valid_certainty != GPUTUNE_EXACT) {
        cli_note("the space is too large to count: %s %" PRIu64 " valid, %s %" PRIu64 " sources",
                 gputune_certainty_name(space->valid_certainty), space->valid,
                 gputune_certainty_name(space->sources_certainty), space->sources);
    } else if (space->sources_certainty != GPUTUNE_EXACT) {
        cli_note("the sources are too many to count: %s %" PRIu64,
                 gputune_certainty_name(space->sources_certainty), space->sources);
    }
}

static int describe_space(const cli_session *session, const cli_scenario *scenario)
{
    gputune_space *space;
    gputune_options options = cli_tuning_options(scenario);
    CLI_TRY(cli_passed(gputune_describe_space(&space, session->tuner, scenario->kernel->name,
                                              scenario->sizes, cli_given.arch, &options)));
    write_space(space);
    return space->valid ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static const cli_option space_options[] = {
    CLI_ONE_SIZE_OPTION,  CLI_ONLY_OPTION,   CLI_ARCH_OPTION,
    CLI_ALIGNMENT_OPTION, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS,
};

static int describe(const cli_list *arguments)
{
    return cli_single(cli_given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE, arguments->items[0],
                      describe_space);
}

const cli_command cmd_space = {
    "space",
    "print a kernel's axes, and the rules that exclude variants",
    "KERNEL|PATH",
    "Prints a kernel's axes, how many variants are possible, and what excludes the others.",
    "Sources: distinct generated sources among the valid variants, each compiled once.",
    {1, 1},
    space_options,
    describe};
