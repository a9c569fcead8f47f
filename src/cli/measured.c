/* Stored trials by scenario, and the choice of one scenario. */
#include "cli/export.h"

#include "cli/console.h"
#include "cli/units.h"

#include "base/asked_for.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LISTED = 20, SHORT_HASH = 8 };

/* ---- reading ---- */

static bool is_of(const cli_measured *one, const gputune_record *record)
{
    return strcmp(one->scenario, record->scenario) == 0 &&
           strcmp(one->environment, record->environment) == 0;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static cli_measured *find_or_add(cli_measured_list *list, const gputune_record *record)
{
    for (size_t i = list->count; i-- > 0;) { /* records of a scenario mostly come in a row */
        if (is_of(&list->items[i], record)) {
            return &list->items[i];
        }
    }
    list->items = cli_grow(list->items, list->count, sizeof *list->items);
    cli_measured *one = &list->items[list->count++];
    *one = (cli_measured){.kernel = cli_copy(record->kernel),
                          .sizes = cli_copy(record->sizes),
                          .scenario = cli_copy(record->scenario),
                          .alignment = cli_copy(record->alignment),
                          .inputs = cli_copy(record->inputs),
                          .gpu = cli_copy(record->gpu),
                          .environment = cli_copy(record->environment),
                          .arch = cli_copy(text_or_empty(record->arch)),
                          .outdated = record->outdated,
                          .stop_reason = cli_copy(""),
                          .objective = record->objective,
                          .cache = record->cache};
    return one;
}

/* A scenario has a winner for each space that was tuned. */
static void note_winner(cli_measured *one, const gputune_record *record)
{
    bool whole = !text_or_empty(record->only)[0];
    bool better = !one->winner ||
                  (whole == one->winner_of_whole ? record->median_ns < one->winner_ns : whole);
    if (record->is_winner && better) {
        one->winner = cli_copy(record->configuration);
        one->winner_default = cli_copy(text_or_empty(record->default_configuration));
        one->stop_reason = cli_copy(text_or_empty(record->stop_reason));
        one->winner_of_whole = whole;
        one->winner_ns = record->median_ns;
    }
}

int cli_measured_add(void *list, const gputune_record *record)
{
    cli_measured *one = find_or_add(list, record);
    note_winner(one, record);
    one->trials = cli_grow(one->trials, one->count, sizeof *one->trials);
    cli_trial *trial = &one->trials[one->count++];
    *trial = (cli_trial){.configuration = cli_copy(record->configuration),
                         .message = cli_copy(text_or_empty(record->message)),
                         .created = cli_copy(text_or_empty(record->created)),
                         .median_ns = record->median_ns,
                         .mean_ns = record->mean_ns,
                         .low_ns = record->low_ns,
                         .high_ns = record->high_ns,
                         .compile_ns = record->compile_ns,
                         .occupancy = record->occupancy,
                         .samples = record->samples,
                         .eliminated_round = record->eliminated_round,
                         .registers = record->registers,
                         .spill_bytes = record->spill_bytes,
                         .shared_bytes = record->shared_bytes,
                         .order = record->order,
                         .is_default = record->is_default};
    snprintf(trial->status, sizeof trial->status, "%s", record->status);
    return 0;
}

int cli_measured_read(cli_measured_list *out, const cli_session *session, const char *kernel,
                      bool history)
{
    *out = (cli_measured_list){NULL, 0};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = kernel;
    filter.all_trials = filter.any_gpu = true;
    filter.history = history;
    int status = gputune_records(session->tuner, &filter, cli_measured_add, out);
    return status == GPUTUNE_ENOTFOUND ? CLI_CONTINUE /* the callers say so */
                                       : cli_passed(status);
}

bool cli_trial_has_time(const cli_trial *trial)
{
    return trial->median_ns > 0 &&
           (strcmp(trial->status, "ok") == 0 || strcmp(trial->status, "eliminated") == 0);
}

double cli_measured_best(const cli_measured *of)
{
    double best = INFINITY;
    for (size_t i = 0; i < of->count; i++) {
        best = cli_trial_has_time(&of->trials[i]) ? fmin(best, of->trials[i].median_ns) : best;
    }
    return best;
}

/* ---- choosing ---- */

static bool is_named(const cli_measured *one, const cli_measured_name *name)
{
    return (!name->sizes || gt_sizes_match(one->sizes, name->sizes)) &&
           (!name->objective || (int)one->objective == name->objective) &&
           (name->cache < 0 || (int)one->cache == name->cache) &&
           (!name->gpu || gt_gpu_matches(one->gpu, one->environment, name->gpu)) &&
           (!name->scenario || strncmp(one->scenario, name->scenario, strlen(name->scenario)) == 0);
}

/* What --gpu takes to mean this one alone. */
static const char *gpu_name(const cli_measured *one, const cli_measured_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const cli_measured *other = &list->items[i];
        if (strcmp(other->environment, one->environment) != 0 && strcasestr(other->gpu, one->gpu)) {
            return one->environment;
        }
    }
    return one->gpu;
}

static void say(const cli_measured *one, const cli_measured_list *list)
{
    char *sizes = cli_short_sizes(one->sizes);
    const char *name = gpu_name(one, list);
    bool is_environment = name == one->environment;
    cli_error("  --scenario %.*s --gpu '%s'%s%s: %s, %s, %s, alignment %s, %s, %zu trials",
              SHORT_HASH, one->scenario, name, is_environment ? ", " : "",
              is_environment ? one->gpu : "", sizes, gputune_objective_name(one->objective),
              one->cache == GPUTUNE_CACHE_HOT ? "hot" : "cold", one->alignment, one->inputs,
              one->count);
}

static void say_all(const cli_measured_list *list, const cli_measured_name *name)
{
    size_t said = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(&list->items[i], name) && said++ < MOST_LISTED) {
            say(&list->items[i], list);
        }
    }
    if (said > MOST_LISTED) {
        cli_error("  and %zu more; --size, --objective, --cache and --gpu leave some out",
                  said - MOST_LISTED);
    }
}

int cli_measured_choose(const cli_measured **out, const cli_measured_list *list,
                        const cli_measured_name *name)
{
    const cli_measured_name any = {.cache = -1};
    size_t found = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(&list->items[i], name)) {
            *out = &list->items[i];
            found++;
        }
    }
    if (found == 1) {
        return CLI_CONTINUE;
    }
    if (found) {
        cli_error("%zu scenarios of %s fit; name one of them:", found, list->items->kernel);
        say_all(list, name);
    } else {
        cli_error("no stored scenario of %s fits; there %s:", list->items->kernel,
                  list->count == 1 ? "is" : "are");
        say_all(list, &any);
    }
    return CLI_EXIT_USAGE;
}
