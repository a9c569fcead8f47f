/* The command prune: drops what is no longer of use. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/forget.h"

#include "base/text.h"

/* A size with an ending, "100M". */
static int read_bytes(uint64_t *out, const char *text)
{
    int64_t bytes;
    if (text && (gt_read_int(&bytes, text) != GT_INT_READ || bytes < 1)) {
        cli_error("--max-size: '%s' is not a number of bytes; write 100M or 1G", text);
        return CLI_EXIT_USAGE;
    }
    *out = text ? (uint64_t)bytes : 0;
    return CLI_CONTINUE;
}

int cmd_prune(int argc, char **argv)
{
    cli_forget forget = {.what = GPUTUNE_FORGET_OPTIONS_INIT};
    const char *most = NULL;
    double days = 0;
    const cli_option options[] = {
        {"older-than", 0, CLI_OPTION_NUMBER, &days, "DAYS",
         "also what nothing was measured of for so many days", NULL},
        {"old-drivers", 0, CLI_OPTION_FLAG, &forget.what.older_drivers, NULL,
         "also what was measured with an older driver than its GPU's last results", NULL},
        {"max-size", 0, CLI_OPTION_TEXT, &most, "BYTES",
         "then the oldest, until the database takes at most so much: 100M, 1G", NULL},
        CLI_FORGET_OPTIONS(&forget),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "prune",
        "[KERNEL|PATH]",
        "Drops what was measured before templates were edited.",
        "What 'gputune show' prints stays; what it prints only with --history goes: winners, "
        "trials, and code that nothing else uses. Of a kernel whose template is not at hand, the "
        "newest version stays. The options let more go; --dry-run says what would go. The winners "
        "that go are printed. 'gputune forget' drops what is stored of a kernel.",
        0,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code == CLI_CONTINUE) {
        code = read_bytes(&forget.what.most_bytes, most);
    }
    forget.what.outdated = true;
    forget.what.older_than_s = days * 86400;
    return code == CLI_CONTINUE
               ? cli_forget_records(&forget, arguments.count ? arguments.items[0] : NULL)
               : code;
}
