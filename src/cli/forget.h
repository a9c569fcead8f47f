/* Dropping stored records, for the commands forget and prune. */
#ifndef CLI_FORGET_H
#define CLI_FORGET_H

#include "cli/stored.h"
#include "cli/table.h"

typedef struct cli_forget {
    cli_common common;
    cli_stored stored;
    gputune_forget_options what;
} cli_forget;

#define CLI_FORGET_OPTIONS(forget)                                                                 \
    {"dry-run",                                                                                    \
     'n',                                                                                          \
     CLI_OPTION_FLAG,                                                                              \
     &(forget)->what.only_say,                                                                     \
     NULL,                                                                                         \
     "say what would be dropped, drop nothing",                                                    \
     NULL},                                                                                        \
        CLI_STORED_OPTIONS(&(forget)->stored), CLI_FORMAT_OPTION(&(forget)->common),               \
        CLI_TUNER_OPTIONS(&(forget)->common), CLI_MESSAGE_OPTIONS(&(forget)->common)

/* Drops what `what` says of the records of one kernel (NULL: of all), prints the winners that go,
 * and says how much went. Returns an exit code: CLI_EXIT_NOTHING where nothing of a named kernel is
 * stored. */
int cli_forget_records(const cli_forget *forget, char *kernel);

#endif
