/* The command embed: a template and what it includes as arrays that a program is compiled with. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/embed.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"

#include <stdio.h>
#include <string.h>

static int write_file(const cli_embedded *embedded, const char *path)
{
    cli_output output;
    int code = cli_output_open(&output, path, true);
    if (code != CLI_CONTINUE) {
        return code;
    }
    cli_embed_write(embedded, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

int cmd_embed(int argc, char **argv)
{
    const char *output = NULL;
    const cli_option options[] = {
        {"output", 'o', CLI_OPTION_TEXT, &output, "FILE", "write there [stdout]", NULL},
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "embed",
        "PATH",
        "Prints a template as a C header that a program is compiled with.",
        "Files that the template includes in quotes come with it, as far as they stand beside it.\n"
        "A function of the header, axpy_cu_add(tuner) for axpy.cu, hands them to\n"
        "gputune_add_source().",
        1,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code != CLI_CONTINUE) {
        return code;
    }
    cli_embedded embedded;
    code = cli_embed_read(&embedded, arguments.items[0]);
    return code == CLI_CONTINUE ? write_file(&embedded, output) : code;
}
