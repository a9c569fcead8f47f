/* Prints rules, which choose a variant for each size of a region. */
#include "cli/files.h"
#include "cli/records.h"

#include <stdio.h>

typedef struct printing {
    size_t count;
    bool as_json;
} printing;

static int print_json(const printing *at, const gputune_rule *rule)
{
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    printf("%s\n  {\"kernel\": %s, \"gpu\": %s, \"environment\": %s, "
           "\"objective\": %s, \"cache\": %s, \"alignment\": %s, \"inputs\": %s, \"created\": %s, "
           "\"driver_version\": %d, \"unproved\": %s, \"outdated\": %s, \"text\": %s}",
           at->count ? "," : "", cli_json_text(rule->kernel), cli_json_text(rule->gpu),
           cli_json_text(rule->environment), cli_json_text(gputune_objective_name(rule->objective)),
           cli_json_text(gputune_cache_name(rule->cache)), cli_json_text(rule->alignment),
           cli_json_text(rule->inputs), cli_json_text(rule->created), rule->driver_version,
           rule->unproved ? "true" : "false", rule->outdated ? "true" : "false",
           cli_json_text(rule->text));
    return 0;
}

static int print_rule(void *user, const gputune_rule *rule)
{
    printing *at = user;
    if (at->as_json) {
        print_json(at, rule);
    } else {
        printf("%s%s on %s, %s, %s, alignment %s, %s%s%s\n%s", at->count ? "\n" : "", rule->kernel,
               rule->gpu, gputune_objective_name(rule->objective), gputune_cache_name(rule->cache),
               rule->alignment, rule->inputs,
               rule->unproved
                   ? ", imported: programs verify the variant at each size first, or ignore the "
                     "rule if other users may write the database"
                   : "",
               rule->outdated ? ", outdated: the template has been edited since" : "", rule->text);
    }
    at->count++;
    return 0;
}

int cli_rules_print(size_t *count, const cli_session *session, const gputune_record_filter *filter)
{
    printing at = {.as_json = cli_given.format == CLI_FORMAT_JSON};
    if (at.as_json) {
        printf("{\"schema\": \"gputune/rules/%d\",\n\"rules\": [", (int)CLI_SCHEMA_VERSION);
    }
    int status = gputune_rules(session->tuner, filter, print_rule, &at);
    if (at.as_json) {
        puts(at.count ? "\n]}" : "]}");
    }
    *count = at.count;
    return cli_passed(status);
}
