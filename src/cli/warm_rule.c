/* warm --sizes: makes rules for regions of sizes. */
#include "cli/records.h"
#include "cli/warm.h"

#include <string.h>

/* Reads "n=64:16K", "n=64" or "T=half". */
static int read_range(gputune_range *out, const char *text)
{
    const char *equals = strchr(text, '='), *value = equals ? equals + 1 : "";
    const char *colon = strchr(value, ':'), *problem = NULL;
    CLI_REFUSE(!equals || equals == text || !value[0] || (colon && !colon[1]), CLI_EXIT_USAGE,
               "--sizes: found '%s'; expected NAME=LEAST:MOST, as in n=64:16K", text);
    *out = (gputune_range){text, 0, 0};
    const char *least = colon ? cli_copy_part(value, (size_t)(colon - value)) : value;
    if (!colon && cli_size_number(&out->least, value)) {
        return CLI_CONTINUE; /* a word */
    }
    problem = cli_size_number(&out->least, least);
    CLI_REFUSE(problem, CLI_EXIT_USAGE, "--sizes: '%s' %s", least, problem);
    out->most = out->least;
    problem = colon ? cli_size_number(&out->most, colon + 1) : NULL;
    CLI_REFUSE(problem, CLI_EXIT_USAGE, "--sizes: '%s' %s", colon + 1, problem);
    out->name = cli_copy_part(text, (size_t)(equals - text));
    return CLI_CONTINUE;
}

static int read_ranges(gputune_range **out, size_t *count)
{
    static const char separators[] = ", \t\n";
    for (size_t i = 0; i < cli_warm.regions.count; i++) {
        const char *text = cli_warm.regions.items[i];
        for (size_t length; *(text += strspn(text, separators)); text += length) {
            gputune_range range;
            length = strcspn(text, separators);
            CLI_TRY(read_range(&range, cli_copy_part(text, length)));
            cli_push(*out, *count, range);
        }
    }
    return CLI_CONTINUE;
}

static int make(const cli_session *session, const char *kernel, const gputune_range *ranges,
                size_t count)
{
    const cli_scenario scenario = {.label = cli_copy(kernel)};
    gputune_options options = cli_tuning_options(&scenario);
    cli_progress progress = {.count = 1, .label = scenario.label};
    options.progress = cli_progress_update;
    options.user = &progress;
    int status =
        gputune_make_rule(NULL, session->tuner, kernel, ranges, count, cli_warm.variants, &options);
    cli_console_progress_end();
    return status < 0 ? cli_fail(status) : CLI_EXIT_OK;
}

int cli_warm_rules(const cli_session *session)
{
    gputune_range *ranges = NULL;
    size_t count = 0;
    cli_catalogue catalogue;
    int code = CLI_EXIT_OK;
    CLI_TRY(read_ranges(&ranges, &count));
    CLI_REFUSE(!count, CLI_EXIT_USAGE,
               "--sizes: found no range; expected NAME=LEAST:MOST, as in n=64:16K");
    CLI_TRY(cli_catalogue_find(&catalogue, session, &cli_warm.kernels));
    cli_catch_interrupt();
    for (size_t i = 0; i < catalogue.count && !cli_is_canceled(); i++) {
        code = cli_worse(code, make(session, catalogue.items[i].name, ranges, count));
    }
    const gputune_record_filter filter = {
        .size = sizeof filter, .kernel = catalogue.count == 1 ? catalogue.items[0].name : NULL};
    if (code == CLI_EXIT_OK) {
        size_t printed;
        CLI_TRY(cli_rules_print(&printed, session, &filter));
    }
    return cli_check_database(session, code);
}
