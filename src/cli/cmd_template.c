/* The command template: a first template from a kernel that has none. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *output;
    bool force;
} settings;

static int write_text(const settings *settings, const char *text)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, settings->output, settings->force));
    (void)fputs(text, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static size_t count_guesses(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, "// guess:"))) {
        count++;
        text++;
    }
    return count;
}

static int write_draft(const settings *settings, const char *path, const char *kernel)
{
    size_t bytes;
    char *text = cli_read_text(path, &bytes), *draft;
    if (!text) {
        cli_error("cannot read '%s': %s", path, strerror(errno));
        return errno == ENOENT ? CLI_EXIT_USAGE : CLI_EXIT_NOTHING;
    }
    int status = gputune_draft_template(&draft, path, text, kernel);
    if (status < 0) {
        return cli_fail(status);
    }
    int code = write_text(settings, draft);
    if (code == CLI_EXIT_OK) {
        cli_note(
            "%zu guesses are marked '// guess:'; correct what is wrong, then try: gputune space %s",
            count_guesses(draft), settings->output ? settings->output : "FILE");
    }
    gputune_free(draft);
    return code;
}

int cmd_template(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"output", 'o', CLI_OPTION_TEXT, &settings.output, "FILE", "write there [stdout]", NULL},
        {"force", 'f', CLI_OPTION_FLAG, &settings.force, NULL, "replace that file", NULL},
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "template",
        "FILE [KERNEL]",
        "Writes a first template for a CUDA kernel that has no pragmas yet, or only some.",
        "The code stays as it is; pragmas come in front of the kernel. They are read off the "
        "kernel and the program around it: its launch, its allocations and its local headers, "
        "where "
        "the file has no launch also those beside it and in the folder above. '// "
        "guess:' marks each guess, '// ?' what was looked for in vain. KERNEL: that one alone "
        "[every kernel that the file launches]. 'gputune help template' describes the language.",
        1,
        2,
        options};
    cli_arguments arguments;
    CLI_TRY(cli_parse(&arguments, &usage, argc, argv));
    return write_draft(&settings, arguments.items[0],
                       arguments.count > 1 ? arguments.items[1] : NULL);
}
