/* Failures of a tuning, counted, and the commonest of them told. */
#include "cli/failures.h"

#include "base/text.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/record_columns.h"
#include "cli/units.h"

#include <string.h>

bool cli_is_failure(const char *status)
{
    static const char *const harmless[] = {"", "ok", "eliminated", "unproved", "proved"};
    const size_t count = sizeof harmless / sizeof *harmless;
    return status && gt_index_of(status, harmless, count) == count;
}

static cli_failure *find_or_add(cli_failures *all, const gputune_record *failed)
{
    size_t i = all->count;
    for (; i > 0 && cli_record_is_alike(&all->items[i - 1].first, failed); i--) {
        const gputune_record *first = &all->items[i - 1].first;
        if (strcmp(first->status, failed->status) == 0 &&
            strcmp(first->message, failed->message) == 0) {
            return &all->items[i - 1];
        }
    }
    char *sizes = cli_short_sizes(failed->sizes);
    char *label = cli_format("%s%s%s", failed->kernel, sizes[0] ? " " : "", sizes);
    cli_push(all->items, all->count, (cli_failure){.first = *failed, .label = label});
    return &all->items[all->count - 1];
}

void cli_failures_add(cli_failures *all, const gputune_record *record)
{
    if (!cli_is_failure(record->status)) {
        return;
    }
    const gputune_record copy = cli_record_copy(record, NULL);
    cli_failure *one = find_or_add(all, &copy);
    one->count++;
    one->first = copy.is_default ? copy : one->first;
}

static uint32_t count_status(const cli_failure *items, size_t count, const char *status)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += strcmp(items[i].first.status, status) == 0 ? items[i].count : 0;
    }
    return sum;
}

/* The failure with the commonest message among those of the commonest status. */
static const cli_failure *commonest(const cli_failure *items, size_t count)
{
    const cli_failure *best = items;
    for (size_t i = 1; i < count; i++) {
        uint32_t now = count_status(items, count, items[i].first.status);
        uint32_t before = count_status(items, count, best->first.status);
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
        if (items[i].first.is_default) {
            cli_note("%s: the default configuration, %s, failed: %s%s%s", items[i].label,
                     items[i].first.configuration, items[i].first.status,
                     items[i].first.message[0] ? ": " : "", items[i].first.message);
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
    const char *text =
        best->first.is_default
            ? best->first.status
            : cli_format("%s%s%s (%s)", best->first.status, best->first.message[0] ? ": " : "",
                         best->first.message, best->first.configuration);
    if (all == 1 && !best->first.is_default) {
        cli_note("%s: 1 variant failed: %s", best->label, text);
    } else if (all > 1) {
        uint32_t common = count_status(items, count, best->first.status);
        cli_note("%s: %u variants failed, %s of them %s; 'gputune show %s --all' lists them",
                 best->label, all, common == all ? "all" : cli_format("%u", common), text,
                 best->first.kernel);
    }
}

void cli_failures_say(const cli_failures *all)
{
    size_t begin = 0;
    for (size_t i = 1; i <= all->count; i++) {
        const cli_failure *first = &all->items[begin];
        if (i == all->count || !cli_record_is_alike(&all->items[i].first, &first->first)) {
            say_scenario(first, i - begin);
            begin = i;
        }
    }
}

int cli_failures_code(const cli_failures *all, uint32_t variants)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].first.is_default) {
            return cli_trial_exit_code(all->items[i].first.status);
        }
    }
    bool most = variants && count_status(all->items, all->count, "wrong") > variants / 2;
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

/* The newest of the records at these sizes that did not compile. */
typedef struct newest {
    const char *sizes;
    gputune_record record; /* created NULL: there is none */
} newest;

static int take_newest(void *user, const gputune_record *record)
{
    newest *last = user;
    const char *created = last->record.created;
    bool fits = strcmp(record->status, "compile") == 0 && strcmp(record->sizes, last->sizes) == 0;
    if (fits && (!created || strcmp(record->created, created) > 0)) {
        last->record = cli_record_copy(record, NULL);
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
    if (last.record.created) {
        cli_compile_log(session, scenario->kernel->name, scenario->sizes,
                        last.record.configuration);
    }
    cli_release(mark);
}
