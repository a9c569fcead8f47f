/* The command show: prints the records of the database. */
#include "cli/records.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static struct {
    bool all, history, why, rules;
} given;

static void add_rows(cli_table *table, const cli_measured *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const gputune_record *row = &from->trials[i];
        if ((given.all && !given.why) || row->is_winner || (given.why && row->is_default)) {
            cli_record_add(table, row);
        }
    }
}

static void print_origin(const cli_session *session, bool any_gpu)
{
    const gputune_device *device = &session->device;
    const char *path = cli_database_path(), *home = getenv("HOME");
    char *gpu = cli_given.gpu ? cli_format("GPUs '%s'", cli_given.gpu) : cli_copy("all GPUs");
    if (!any_gpu && session->has_device) {
        int version = device->driver_version;
        gpu = cli_format("%s (%s, %d SMs), CUDA %d.%d driver", device->name, device->arch,
                         device->sm_count, version / 1000, version % 1000 / 10);
    }
    size_t length = home ? strlen(home) : 0;
    bool at_home = length && path && strncmp(path, home, length) == 0 && path[length] == '/';
    cli_note("%s, database %s%s", gpu, at_home ? "~" : "",
             path ? path + (at_home ? length : 0) : "in memory");
}

static void write_found(const cli_session *session, cli_table *table, const cli_records *found)
{
    const bool is_text = cli_given.format == CLI_FORMAT_TABLE;
    const cli_measured_list list = cli_measured_of(found);
    for (size_t i = 0; i < list.count; i++) {
        add_rows(table, &list.items[i]);
    }
    if (is_text && table->row_count) {
        print_origin(session, table->view & CLI_VIEW_ANY_GPU);
    }
    if (given.why && table->row_count) {
        cli_why_write(table, &list);
    } else {
        cli_table_print(table);
    }
    const gputune_record *winner = list.count == 1 ? list.items[0].winner : NULL;
    if (is_text && !given.why && winner && winner->kernel[0]) {
        fflush(stdout);
        cli_note("%s: %s", winner->kernel, cli_hardware_text(winner));
    }
    if (!given.all) {
        cli_failures_print(found, NULL);
        cli_single_print(found);
    }
}

static int count_winner(void *user, const gputune_record *record)
{
    *(size_t *)user += record->is_winner;
    return 0;
}

/* Prints how many winners of outdated kernels are hidden. Results are stored without paths, so
 * kernels with the same name in different files count as versions of one kernel. */
static void note_hidden(const cli_session *session, const cli_records *found,
                        gputune_record_filter filter)
{
    size_t shown = 0, all = 0;
    filter.all_trials = filter.failures = false;
    filter.history = true;
    for (size_t i = 0; i < found->count; i++) {
        shown += found->items[i].is_winner;
    }
    if (gputune_records(session->tuner, &filter, count_winner, &all) == 0 && all > shown) {
        cli_note("%zu winner%s of other versions of the same kernels %s hidden; --history lists %s",
                 all - shown, gt_plural(all - shown), all - shown == 1 ? "is" : "are",
                 all - shown == 1 ? "it" : "them");
    }
}

static const cli_option options[] = {
    {"all", 'a', CLI_OPTION_FLAG, &given.all, NULL, NULL,
     "every trial with its statistics, not only the winners"},
    {"why", 'w', CLI_OPTION_FLAG, &given.why, NULL, NULL,
     "winner and default, and what each axis is worth"},
    {"rules", 0, CLI_OPTION_FLAG, &given.rules, NULL, NULL,
     "only the rules for regions of sizes (warm --sizes); of a named KERNEL they also follow its "
     "winners"},
    CLI_STORED_OPTIONS,
    {"history", 0, CLI_OPTION_FLAG, &given.history, NULL, NULL,
     "also results of earlier versions of a template"},
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int show_kernels(const cli_list *arguments)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    gputune_record_filter filter = {.size = sizeof filter,
                                    .all_trials = given.all || given.why,
                                    .failures = true,
                                    .history = given.history,
                                    .rules = given.rules};
    cli_given.read_only = true;
    bool any = cli_given.any_gpu || cli_given.gpu;
    CLI_TRY(cli_open(&session, any ? CLI_OPEN_NO_DEVICE : CLI_OPEN_IF_ANY));
    CLI_TRY(cli_stored_filter(&filter, &session));
    unsigned view = given.why ? CLI_VIEW_WHY : given.all ? CLI_VIEW_TRIALS : CLI_VIEW_WINNERS;
    view |= filter.any_gpu ? CLI_VIEW_ANY_GPU : 0;
    cli_records found = {NULL, 0};
    cli_table table = cli_record_table(view);
    const char *name = arguments->count ? arguments->items[0] : NULL;
    size_t rules = 0;
    if (given.rules) {
        CLI_TRY(cli_stored_name(&session, name));
        filter.kernel = name;
        CLI_TRY(cli_rules_print(&rules, &session, filter, &(cli_list){&name, 1}, NULL));
        return rules ? CLI_EXIT_OK : cli_stored_nothing(&session, &filter);
    }
    CLI_TRY(cli_records_read(&found, &filter, &session, name));
    write_found(&session, &table, &found);
    if (name && cli_given.format == CLI_FORMAT_TABLE) {
        fflush(stdout);
        CLI_TRY(cli_rules_print(&rules, &session, filter, arguments, NULL));
    }
    if (!given.history && cli_given.format == CLI_FORMAT_TABLE) {
        note_hidden(&session, &found, filter);
    }
    if (!table.row_count) {
        return rules ? CLI_EXIT_OK : cli_stored_nothing(&session, &filter);
    }
    const char *last = "";
    for (size_t i = 0; i < found.count; i++) { /* records of the same kernel are adjacent */
        const char *kernel = name ? name : found.items[i].kernel;
        if (strcmp(kernel, last) != 0) {
            cli_note_own_references(&session, kernel);
        }
        last = kernel;
    }
    return CLI_EXIT_OK;
}

const cli_command cmd_show = {
    "show",
    "print the winners that are stored",
    "[KERNEL|PATH]",
    "Prints the winners that are stored for this GPU.",
    "Speed-up is the default's time over the winner's, with its 95% interval. 'of copy' is the "
    "bandwidth as a fraction of that of a device-to-device copy on that GPU. 'data' shows an "
    "alignment or inputs other than the usual ones. Flags:\n"
    "  tie           no variant is certainly the fastest; the winner is the default, the simplest "
    "of the fastest variants, or one that is far faster with a warm cache\n"
    "  noisy         other programs used the GPU, its clocks were reduced, or there was time for "
    "only one launch of each variant\n"
    "  modelled      the time is the emulator's model\n"
    "  only AXIS=V   the space was restricted to these values, which the default need not have\n"
    "  unfinished    the tuning ended before the race was decided\n"
    "  no reference  the template has none: the default is assumed to be correct\n"
    "  outdated      the template has been edited since\n"
    "With --why, the worth of an axis is how much slower the best tried variant is if the axis is "
    "held at another value; the number of trials is in brackets. JSON and CSV have every field: "
    "times in nanoseconds (for the objective energy nanojoules, for rate the time for the work of "
    "the default's launch), rates in bytes a second. The database is only read.",
    {0, 1},
    options,
    show_kernels};
