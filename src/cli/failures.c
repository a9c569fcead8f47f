/* Failures of a tuning, counted, and the commonest of them told. */
#include "cli/failures.h"

#include "base/text.h"
#include "cli/console.h"
#include "cli/units.h"

#include <string.h>

bool cli_is_failure(const char *status)
{
    static const char *const harmless[] = {"", "ok", "eliminated", "unproved", "proved"};
    const size_t count = sizeof harmless / sizeof *harmless;
    return status && gt_index_of(status, harmless, count) == count;
}

static bool is_of(const cli_failure *failure, const char *scenario, const char *environment)
{
    return strcmp(failure->scenario, scenario) == 0 &&
           strcmp(failure->environment, environment) == 0;
}

static cli_failure *find(const cli_failures *all, const gputune_record *record, const char *message)
{
    for (size_t i = all->count; i-- > 0;) {
        cli_failure *one = &all->items[i];
        if (!is_of(one, record->scenario, record->environment)) {
            return NULL;
        }
        if (strcmp(one->status, record->status) == 0 && strcmp(one->message, message) == 0) {
            return one;
        }
    }
    return NULL;
}

static cli_failure *add(cli_failures *all, const gputune_record *record, const char *message)
{
    all->items = cli_grow(all->items, all->count, sizeof *all->items);
    cli_failure *one = &all->items[all->count++];
    char *sizes = cli_short_sizes(record->sizes);
    *one = (cli_failure){.scenario = cli_copy(record->scenario),
                         .environment = cli_copy(record->environment),
                         .kernel = cli_copy(record->kernel),
                         .label = cli_format("%s%s%s", record->kernel, sizes[0] ? " " : "", sizes),
                         .status = cli_copy(record->status),
                         .message = cli_copy(message),
                         .configuration = cli_copy(record->configuration)};
    return one;
}

void cli_failures_add(cli_failures *all, const gputune_record *record)
{
    const char *message = record->message ? record->message : "";
    if (!cli_is_failure(record->status)) {
        return;
    }
    cli_failure *one = find(all, record, message);
    if (!one) {
        one = add(all, record, message);
    }
    one->count++;
    if (record->is_default) {
        one->of_default = true;
        one->configuration = cli_copy(record->configuration);
    }
}

static uint32_t count_status(const cli_failure *items, size_t count, const char *status)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += strcmp(items[i].status, status) == 0 ? items[i].count : 0;
    }
    return sum;
}

/* The failure with the commonest message among those of the commonest status. */
static const cli_failure *commonest(const cli_failure *items, size_t count)
{
    const cli_failure *best = items;
    for (size_t i = 1; i < count; i++) {
        uint32_t now = count_status(items, count, items[i].status);
        uint32_t before = count_status(items, count, best->status);
        if (now > before || (now == before && items[i].count > best->count)) {
            best = &items[i];
        }
    }
    return best;
}

/* A wrong default is what users launch today: it is said first, and not once more. */
static void say_default(const cli_failure *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].of_default) {
            cli_note("%s: the default configuration, %s, failed: %s%s%s", items[i].label,
                     items[i].configuration, items[i].status, items[i].message[0] ? ": " : "",
                     items[i].message);
        }
    }
}

static void say_scenario(const cli_failure *items, size_t count)
{
    const cli_failure *best = commonest(items, count);
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all += items[i].count;
    }
    say_default(items, count);
    const char *text = best->of_default
                           ? best->status
                           : cli_format("%s%s%s (%s)", best->status, best->message[0] ? ": " : "",
                                        best->message, best->configuration);
    if (all == 1 && !best->of_default) {
        cli_note("%s: 1 variant failed: %s", best->label, text);
    } else if (all > 1) {
        uint32_t common = count_status(items, count, best->status);
        cli_note("%s: %u variants failed, %s of them %s; 'gputune show %s --all' lists them",
                 best->label, all, common == all ? "all" : cli_format("%u", common), text,
                 best->kernel);
    }
}

void cli_failures_say(const cli_failures *all)
{
    size_t begin = 0;
    for (size_t i = 1; i <= all->count; i++) {
        const cli_failure *first = &all->items[begin];
        if (i == all->count || !is_of(&all->items[i], first->scenario, first->environment)) {
            say_scenario(first, i - begin);
            begin = i;
        }
    }
}

int cli_failures_code(const cli_failures *all, uint32_t variants)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].of_default) {
            return cli_trial_exit_code(all->items[i].status);
        }
    }
    bool most = count_status(all->items, all->count, "wrong") > variants / 2;
    return most ? CLI_EXIT_WRONG : CLI_EXIT_OK;
}

/* ---- the compiler's log ---------------------------------------------------------------------- */

void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration)
{
    char *code;
    size_t bytes;
    gputune_form form = session->device.emulated ? GPUTUNE_FORM_PTX : GPUTUNE_FORM_CUBIN;
    if (cli_console_is_verbose() && gputune_emit(&code, &bytes, session->tuner, kernel, sizes,
                                                 configuration, NULL, form) == GPUTUNE_OK) {
        gputune_free(code);
    }
}

typedef struct newest {
    const char *sizes;
    char *configuration, *created;
} newest;

static int take_newest(void *user, const gputune_record *record)
{
    newest *last = user;
    bool fits = strcmp(record->status, "compile") == 0 && strcmp(record->sizes, last->sizes) == 0;
    if (fits && (!last->created || strcmp(record->created, last->created) > 0)) {
        last->configuration = cli_copy(record->configuration);
        last->created = cli_copy(record->created);
    }
    return 0;
}

void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario)
{
    newest last = {.sizes = scenario->size_text};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = scenario->kernel->name;
    filter.all_trials = true;
    if (!cli_console_is_verbose()) {
        return;
    }
    void *mark = cli_mark();
    (void)gputune_records(session->tuner, &filter, take_newest, &last);
    if (last.configuration) {
        cli_compile_log(session, scenario->kernel->name, cli_scenario_sizes(scenario),
                        last.configuration);
    }
    cli_release(mark, NULL);
}
