/* warm --sizes: makes rules for regions of sizes. */
#include "cli/records.h"
#include "cli/warm.h"

#include <string.h>

static int read_range(gputune_range *out, const cli_value_list *given)
{
    const char *value = given->values[0], *colon = strchr(value, ':');
    const char *least = colon ? cli_copy_part(value, (size_t)(colon - value)) : value;
    CLI_REFUSE(given->count > 1, CLI_EXIT_USAGE,
               "--sizes: %s has several values; expected one range, as in n=64:16K, or one value",
               given->name);
    *out = (gputune_range){.name = given->name};
    const char *problem = cli_size_number(&out->least, least);
    if (problem && !colon) { /* the value is not a number */
        out->name = cli_format("%s=%s", given->name, value);
        return CLI_CONTINUE;
    }
    CLI_REFUSE(problem, CLI_EXIT_USAGE, "--sizes: '%s' %s", least, problem);
    out->most = out->least;
    problem = colon ? cli_size_number(&out->most, colon + 1) : NULL;
    CLI_REFUSE(problem, CLI_EXIT_USAGE, "--sizes: '%s' %s", colon + 1, problem);
    return CLI_CONTINUE;
}

/* Makes a rule, and adds its kernel and its text to the lists. */
static int make_rule(cli_list *kernels, cli_list *texts, const cli_session *session,
                     const char *kernel, const gputune_range *ranges, size_t count)
{
    char *text = NULL;
    const cli_selection *selection = &cli_given.selection;
    const cli_scenario scenario = {.label = cli_copy(kernel),
                                   .only = selection->only.items,
                                   .only_count = selection->only.count,
                                   .starts = selection->starts.items,
                                   .start_count = selection->starts.count};
    gputune_options options = cli_tuning_options(&scenario);
    cli_progress progress = {.count = 1, .label = scenario.label};
    options.progress = cli_progress_update;
    options.user = &progress;
    int status = gputune_make_rule(&text, session->tuner, kernel, ranges, count, cli_warm.variants,
                                   &options);
    cli_console_progress_end();
    if (status < 0) {
        return cli_fail(status);
    }
    cli_add(kernels, kernel);
    cli_add(texts, text);
    return CLI_EXIT_OK;
}

int cli_warm_rules(const cli_session *session)
{
    cli_values values = {NULL, 0};
    cli_catalogue catalogue;
    cli_list made = {NULL, 0}, texts = {NULL, 0};
    int code = CLI_EXIT_OK;
    CLI_TRY(cli_values_read(&values, "--sizes", &cli_warm.regions));
    gputune_range *ranges = cli_allocate(values.count, sizeof *ranges);
    for (size_t i = 0; i < values.count; i++) {
        CLI_TRY(read_range(&ranges[i], &values.items[i]));
    }
    CLI_TRY(cli_catalogue_find(&catalogue, session, &cli_warm.kernels));
    cli_catch_interrupt();
    for (size_t i = 0; i < catalogue.count && !cli_canceled; i++) {
        code = cli_worse(code, make_rule(&made, &texts, session, catalogue.items[i].given, ranges,
                                         values.count));
    }
    const gputune_record_filter filter = {.size = sizeof filter};
    size_t printed;
    CLI_TRY(cli_rules_print(&printed, session, filter, &made, &texts));
    return cli_check_database(session, code);
}
