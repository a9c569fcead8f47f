/* The command space: prints a kernel's axes and what excludes variants. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/scenarios.h"
#include "cli/table.h"

#include <inttypes.h>
#include <string.h>

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define VALUE(name, title, unit) CLI_FIELD(gputune_axis_value, name, title, unit, BOTH)
#define COUNT(name, title)       CLI_FIELD(gputune_space, name, title, CLI_BIG_COUNT, BOTH)

typedef struct exclusion {
    const char *reason;
    uint64_t count;
    gputune_certainty certainty;
} exclusion;

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
    CLI_FIELD(exclusion, count, "variants", CLI_BIG_COUNT, BOTH),
    CLI_FIELD(exclusion, reason, "excluded by", CLI_TEXT, BOTH),
    CLI_FIELD(exclusion, certainty, "", CLI_CERTAINTY, DATA),
};

static void write_space(const gputune_space *space, cli_format_kind format)
{
    cli_table tables[] = {CLI_TABLE("totals", total_columns, gputune_space, CLI_VIEW),
                          CLI_TABLE("values", value_columns, gputune_axis_value, CLI_VIEW),
                          CLI_TABLE("exclusions", exclusion_columns, exclusion, CLI_VIEW)};
    cli_table_add(&tables[0], space);
    for (size_t i = 0; i < space->value_count; i++) {
        cli_table_add(&tables[1], &space->values[i]);
    }
    for (size_t i = 0; i < space->exclusion_count; i++) {
        const exclusion row = {space->exclusions[i].reason, space->exclusions[i].count,
                               space->exclusion_certainties[i]};
        cli_table_add(&tables[2], &row);
    }
    cli_tables_write("space", tables, 3, format, stdout);
}

/* Notes on stderr which counts are not exact: the table has room for numbers alone. */
static void say_if_uncertain(const gputune_space *space)
{
    if (space->valid_certainty != GPUTUNE_EXACT) {
        cli_note("the space is too large to count: %s %" PRIu64 " valid, %s %" PRIu64 " sources",
                 cli_certainty_word(space->valid_certainty), space->valid,
                 cli_certainty_word(space->sources_certainty), space->sources);
    } else if (space->sources_certainty != GPUTUNE_EXACT) {
        cli_note("the sources are too many to count: %s %" PRIu64,
                 cli_certainty_word(space->sources_certainty), space->sources);
    }
}

static int describe_space(const cli_session *session, const cli_scenario *scenario)
{
    gputune_space *space;
    gputune_options options = cli_tuning_options(scenario);
    CLI_TRY(cli_passed(gputune_describe_space(&space, session->tuner, scenario->kernel->name,
                                              scenario->sizes, cli_given.arch, &options)));
    write_space(space, (cli_format_kind)cli_given.format);
    say_if_uncertain(space);
    return space->valid ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static const cli_option options[] = {
    CLI_SIZE_OPTION,      CLI_ONLY_OPTION,   CLI_ARCH_OPTION,
    CLI_ALIGNMENT_OPTION, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS,
};

static int describe(const cli_arguments *arguments)
{
    return cli_single(cli_given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE, arguments->items,
                      describe_space);
}

const cli_command cmd_space = {
    "space",
    "a kernel's axes, and what excludes variants",
    "KERNEL|PATH",
    "Prints a kernel's axes, how many variants are possible, and what excludes the others.",
    "Sources: distinct generated sources among the valid variants, each compiled once.",
    {1, 1},
    options,
    describe};
