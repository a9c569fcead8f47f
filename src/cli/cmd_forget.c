/* The command forget: drops what is stored of a kernel. */
#include "cli/commands.h"

#include "cli/forget.h"

int cmd_forget(int argc, char **argv)
{
    cli_forget forget = {.what = GPUTUNE_FORGET_OPTIONS_INIT};
    const cli_option options[] = {
        CLI_FORGET_OPTIONS(&forget),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "forget",
        "KERNEL|PATH",
        "Drops what is stored of a kernel: winners, trials and code.",
        "Every version of its template goes, but not what is stored of other kernels, sizes and "
        "GPUs than those that are named. Nothing is asked; --dry-run says what would go. The "
        "winners that go are printed. 'gputune prune' drops what is old.",
        1,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    return code == CLI_CONTINUE ? cli_forget_records(&forget, arguments.items[0]) : code;
}
