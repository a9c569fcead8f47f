/* Prints rules, which choose a variant for each size of a region. */
#include "cli/records.h"

#include <string.h>

#define COLUMN(name, unit) CLI_FIELD(gputune_rule, name, #name, unit, CLI_IN_DATA | CLI_VIEW)

static const cli_column columns[] = {
    COLUMN(kernel, CLI_TEXT),
    COLUMN(gpu, CLI_TEXT),
    CLI_FIELD(gputune_rule, environment, "", CLI_TEXT, CLI_IN_DATA),
    COLUMN(objective, CLI_OBJECTIVE),
    COLUMN(cache, CLI_CACHE),
    COLUMN(alignment, CLI_TEXT),
    COLUMN(inputs, CLI_TEXT),
    COLUMN(created, CLI_TEXT),
    COLUMN(driver_version, CLI_WHOLE),
    COLUMN(unproved, CLI_YES),
    COLUMN(outdated, CLI_YES),
    COLUMN(text, CLI_TEXT),
};

static void print_rule(const gputune_rule *rule, bool is_first)
{
    printf("%s%s on %s, %s, %s, alignment %s, %s%s%s\n%s", is_first ? "" : "\n", rule->kernel,
           rule->gpu, gputune_objective_name(rule->objective), gputune_cache_name(rule->cache),
           rule->alignment, rule->inputs,
           rule->unproved ? ", imported: programs verify the variant at each size first, or ignore "
                            "the rule if other users may write the database"
                          : "",
           rule->outdated ? ", outdated: the template has been edited since" : "", rule->text);
}

typedef struct printed_rules {
    cli_table table;
    const char *text; /* text of the rule to print, or NULL for all rules */
} printed_rules;

static int take_rule(void *user, const gputune_rule *rule)
{
    printed_rules *printed = user;
    if (printed->text && strcmp(printed->text, rule->text) != 0) {
        return 0;
    }
    if (cli_given.format == CLI_FORMAT_TABLE) {
        print_rule(rule, printed->table.row_count == 0);
    }
    cli_table_add(&printed->table, rule);
    return 0;
}

int cli_rules_print(size_t *count, const cli_session *session, gputune_record_filter filter,
                    const cli_list *kernels, const cli_list *texts)
{
    printed_rules printed = {CLI_TABLE("rules", columns, gputune_rule, CLI_VIEW), NULL};
    int status = GPUTUNE_OK;
    for (size_t i = 0; i < kernels->count && status >= 0; i++) {
        filter.kernel = kernels->items[i];
        printed.text = texts ? texts->items[i] : NULL;
        status = gputune_rules(session->tuner, &filter, take_rule, &printed);
    }
    if (cli_given.format != CLI_FORMAT_TABLE) {
        cli_table_print(&printed.table);
    }
    *count = printed.table.row_count;
    return cli_passed(status);
}
