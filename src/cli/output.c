/* Opens and closes what a command writes to. */
#include "cli/output.h"

#include "cli/console.h"
#include "cli/options.h"

#include <errno.h>
#include <string.h>

static int cannot_write(const char *path)
{
    return cli_stop(CLI_EXIT_NOTHING, "cannot write '%s': %s", path ? path : "standard output",
                    strerror(errno));
}

int cli_output_open(cli_output *out, const char *path, bool replace)
{
    *out = (cli_output){path ? fopen(path, replace ? "wb" : "wbx") : stdout, path};
    if (!out->file && errno == EEXIST) {
        return cli_stop(CLI_EXIT_USAGE, "'%s' is there already; --force replaces it", path);
    }
    return out->file ? CLI_CONTINUE : cannot_write(path);
}

int cli_output_close(cli_output *output, int code)
{
    bool good = fflush(output->file) == 0 && !ferror(output->file);
    if (output->path) {
        good &= fclose(output->file) == 0;
    }
    return good || code != CLI_EXIT_OK ? code : cannot_write(output->path);
}

int cli_output_text(const char *path, bool replace, const char *text)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, path, replace));
    (void)fputs(text, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}
