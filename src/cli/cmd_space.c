/* The command space: prints a kernel's axes and what excludes variants. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/single.h"
#include "cli/table.h"
#include "cli/tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning; /* the alignment alone */
    const char *arch;
} settings;

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define VALUE(name, key, title, unit)                                                              \
    {                                                                                              \
        key, title, unit, BOTH, offsetof(gputune_axis_value, name), NULL                           \
    }
#define COUNT(name, title)                                                                         \
    {                                                                                              \
#name, title, CLI_BIG_COUNT, BOTH, offsetof(gputune_space, name), NULL                     \
    }

static const char *certainty_word(gputune_certainty certainty)
{
    static const char *const words[] = {"exact", "about", "at most"};
    return words[certainty];
}

static void valid_certainty(cli_cell *out, const void *item)
{
    cli_set_text(out, certainty_word(((const gputune_space *)item)->valid_certainty));
}

static void sources_certainty(cli_cell *out, const void *item)
{
    cli_set_text(out, certainty_word(((const gputune_space *)item)->sources_certainty));
}

typedef struct exclusion {
    const char *reason;
    uint64_t count;
    gputune_certainty certainty;
} exclusion;

static void excluded_certainty(cli_cell *out, const void *item)
{
    cli_set_text(out, certainty_word(((const exclusion *)item)->certainty));
}

#define CERTAINTY(name)                                                                            \
    {                                                                                              \
#name, "", CLI_TEXT, DATA, 0, name                                                         \
    }

static const cli_column total_columns[] = {
    COUNT(combinations, "combinations"), COUNT(valid, "valid"),        COUNT(sources, "sources"),
    CERTAINTY(valid_certainty),          CERTAINTY(sources_certainty),
};

static const cli_column value_columns[] = {
    VALUE(axis, "axis", "axis", CLI_TEXT),
    VALUE(kind, "kind", "kind", CLI_TEXT),
    VALUE(value, "value", "value", CLI_TEXT),
    VALUE(is_default, "is_default", "default", CLI_YES),
    VALUE(excluded, "excluded", "excluded", CLI_TEXT),
};

static const cli_column exclusion_columns[] = {
    {"count", "variants", CLI_BIG_COUNT, BOTH, offsetof(exclusion, count), NULL},
    {"reason", "excluded by", CLI_TEXT, BOTH, offsetof(exclusion, reason), NULL},
    {"certainty", "", CLI_TEXT, DATA, 0, excluded_certainty},
};

#define TABLE(name, columns)                                                                       \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof *(columns), NULL, 0, CLI_VIEW                      \
    }

static void add_exclusions(cli_table *table, exclusion *rows, const gputune_space *space)
{
    for (size_t i = 0; i < space->exclusion_count; i++) {
        rows[i] = (exclusion){space->exclusions[i].reason, space->exclusions[i].count,
                              space->exclusion_certainties[i]};
        cli_table_add(table, &rows[i]);
    }
}

static void write_space(const gputune_space *space, cli_format_kind format)
{
    exclusion *rows = cli_allocate(space->exclusion_count + 1, sizeof *rows);
    cli_table tables[] = {TABLE("totals", total_columns), TABLE("values", value_columns),
                          TABLE("exclusions", exclusion_columns)};
    cli_table_add(&tables[0], space);
    for (size_t i = 0; i < space->value_count; i++) {
        cli_table_add(&tables[1], &space->values[i]);
    }
    add_exclusions(&tables[2], rows, space);
    cli_tables_write(tables, 3, format, stdout);
    for (size_t i = 0; i < 3; i++) {
        cli_table_free(&tables[i]);
    }
    free(rows);
}

/* The table has room for numbers alone. */
static void say_if_uncertain(const gputune_space *space)
{
    if (space->valid_certainty != GPUTUNE_EXACT) {
        cli_note("the space is too large to count: %s %" PRIu64 " valid, %s %" PRIu64 " sources",
                 certainty_word(space->valid_certainty), space->valid,
                 certainty_word(space->sources_certainty), space->sources);
    } else if (space->sources_certainty != GPUTUNE_EXACT) {
        cli_note("the sources are too many to count: %s %" PRIu64,
                 certainty_word(space->sources_certainty), space->sources);
    }
}

static int describe(void *user, const cli_session *session, const cli_scenario *scenario)
{
    const settings *settings = user;
    gputune_space *space;
    gputune_options options = cli_tuning_options(&settings->tuning, scenario);
    int status = gputune_describe_space(&space, session->tuner, scenario->kernel->name,
                                        cli_scenario_sizes(scenario), settings->arch, &options);
    if (status < 0) {
        return cli_fail(status);
    }
    write_space(space, (cli_format_kind)settings->common.format);
    say_if_uncertain(space);
    int code = space->valid ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
    gputune_space_free(space);
    return code;
}

int cmd_space(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        CLI_SIZE_OPTION(&settings.selection),
        CLI_ONLY_OPTION(&settings.selection),
        {"arch", 0, CLI_OPTION_TEXT, &settings.arch, "sm_XX",
         "for this architecture instead of the GPU at hand", NULL},
        CLI_ALIGNMENT_OPTION(&settings.tuning),
        CLI_FORMAT_OPTION(&settings.common),
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "space",
        "KERNEL|PATH",
        "Prints a kernel's axes, how many variants are possible, and what excludes the others.",
        "Sources: distinct generated sources among the valid variants, each compiled once.",
        1,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code == CLI_CONTINUE) {
        cli_open_mode mode = settings.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE;
        code = cli_single(&settings.common, mode, &settings.selection, arguments.items, describe,
                          &settings);
    }
    cli_selection_free(&settings.selection);
    return code;
}
