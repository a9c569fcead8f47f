/* The command template: a first template from a kernel that has none. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool force; /* the option */

static size_t count_guesses(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, "// guess:"))) {
        count++;
        text++;
    }
    return count;
}

static int write_template(const cli_arguments *arguments)
{
    const char *path = arguments->items[0];
    const char *kernel = arguments->count > 1 ? arguments->items[1] : NULL;
    size_t bytes;
    char *text = cli_read_text(path, &bytes), *draft;
    CLI_REFUSE(!text, errno == ENOENT ? CLI_EXIT_USAGE : CLI_EXIT_NOTHING, "cannot read '%s': %s",
               path, strerror(errno));
    CLI_TRY(cli_passed(gputune_draft_template(&draft, path, text, kernel)));
    int code = cli_output_write(cli_given.output, force, draft, strlen(draft));
    if (code == CLI_EXIT_OK) {
        cli_note(
            "%zu guesses are marked '// guess:'; correct what is wrong, then try: gputune space %s",
            count_guesses(draft), cli_given.output ? cli_given.output : "FILE");
    }
    return code;
}

static const cli_option options[] = {
    CLI_OUTPUT_OPTION,
    {"force", 'f', CLI_OPTION_FLAG, &force, NULL, NULL, "replace that file"},
    CLI_OPTIONS_END,
};

const cli_command cmd_template = {
    "template",
    "a first template from a kernel that has none",
    "FILE [KERNEL]",
    "Writes a first template for a CUDA kernel that has no pragmas yet, or only some.",
    "The code stays as it is; pragmas come in front of the kernel. They are read off the "
    "kernel and the program around it: its launch, its allocations and its local headers, where "
    "the file has no launch also those beside it and in the folder above; where one of these "
    "includes the file, what it needs of that stands in front. '// guess:' marks each guess, '// "
    "?' what was looked for in vain. KERNEL: that one alone "
    "[every kernel that the file launches]. 'gputune help template' describes the language.",
    {1, 2},
    options,
    write_template};
