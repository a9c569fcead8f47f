/* The command merge: several databases become one. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/session.h"

static const cli_option options[] = {
    {"output", 'o', CLI_OPTION_TEXT, &cli_given.database, "FILE", NULL,
     "the database that takes them over; made where it is missing"},
    CLI_MESSAGE_OPTIONS,
};

static int merge(const cli_arguments *files)
{
    gputune_merged merged = GPUTUNE_MERGED_INIT;
    cli_session session;
    CLI_REFUSE(!cli_given.database, CLI_EXIT_USAGE,
               "merge: expected -o FILE, the database that takes the others over");
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    CLI_TRY(cli_passed(
        gputune_merge(&merged, session.tuner, (const char *const *)files->items, files->count)));
    cli_note("%s: took %llu of %llu winners and %llu of %llu trials", cli_given.database,
             (unsigned long long)merged.taken_winners, (unsigned long long)merged.winners,
             (unsigned long long)merged.taken_trials, (unsigned long long)merged.trials);
    return merged.trials ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

const cli_command cmd_merge = {
    "merge",
    "several databases as one",
    "FILE... -o FILE",
    "Takes over what databases have into one: winners, trials and code.",
    "All or nothing; the databases before -o are only read. Of two winners of the same space, "
    "also where the last one has one, that one stays which was decided, then proved, then "
    "found with the newer driver, with more effort, later; of two trials of a configuration a "
    "finished one, then the later. A database that other users may write is refused: 'gputune "
    "wisdom' carries its winners, which are proved again.",
    {1, SIZE_MAX},
    options,
    merge};
