/* The commands emit and space: print the code of a configuration, and describe a space. */
#include "cli/files.h"
#include "cli/scenarios.h"
#include "cli/table.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static struct {
    cli_list configurations; /* at most one */
    cli_list archs;          /* only --rule allows more than one architecture */
    int form, api;
    bool rule;
} given;

/* The choices of --as, in the order of gputune_form. */
static const char *const form_words[] = {"source", "ptx", "cubin", "whole", NULL};

static int write_form(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    size_t bytes;
    const cli_list *list = &given.configurations;
    CLI_TRY(cli_passed(gputune_emit(&text, &bytes, session->tuner, scenario->kernel->given,
                                    scenario->sizes, list->count ? list->items[0] : NULL,
                                    cli_given.arch, (gputune_form)given.form)));
    return cli_output_write(cli_given.output, true, text, bytes);
}

static int write_rule(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    CLI_TRY(cli_passed(gputune_emit_rule(&text, session->tuner, scenario->kernel->given,
                                         scenario->sizes, given.archs.items, given.archs.count,
                                         given.api)));
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

static int emit_source(const cli_list *arguments)
{
    const cli_list *list = &given.configurations;
    CLI_REFUSE(list->count > 1, CLI_EXIT_USAGE,
               "emit: --config is given twice; write all axes in one: --config \"%s %s\"",
               list->items[0], list->items[1]);
    CLI_REFUSE(given.form == GPUTUNE_FORM_CUBIN && !cli_given.output && isatty(STDOUT_FILENO),
               CLI_EXIT_USAGE, "a cubin is binary; write it to a file with --output FILE");
    CLI_REFUSE(given.rule && (list->count || given.form), CLI_EXIT_USAGE,
               "emit: --rule writes a header with all variants of the rule; omit --config and "
               "--as");
    CLI_REFUSE(!given.rule && (given.archs.count > 1 || given.api), CLI_EXIT_USAGE,
               "emit: --api and more than one --arch apply only to a rule's header; add --rule");
    if (given.rule) {
        cli_given.selection.keeps_sizes = true;
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
    "as gputune compiles it. nvdisasm of the CUDA toolkit prints the SASS of a cubin.\n\n"
    "--rule writes a C header for programs without gputune. It has the code of all variants, the "
    "choice for each size, and the launch. It is valid C11, C++11 and CUDA C++.",
    {1, 1},
    options,
    emit_source};

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
        cli_note("some of the sources may be equal: %s %" PRIu64 " are different",
                 gputune_certainty_name(space->sources_certainty), space->sources);
    }
}

static int describe_space(const cli_session *session, const cli_scenario *scenario)
{
    gputune_space *space;
    gputune_options options = cli_tuning_options(scenario);
    CLI_TRY(cli_passed(gputune_describe_space(&space, session->tuner, scenario->kernel->given,
                                              scenario->sizes, cli_given.arch, &options)));
    write_space(space);
    return space->valid ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static const cli_option space_options[] = {
    CLI_ONE_SIZE_OPTION,  CLI_ONLY_OPTION,   CLI_ARCH_OPTION,
    CLI_ALIGNMENT_OPTION, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS,
};

static int describe_rule(const cli_list *arguments)
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
    describe_rule};
