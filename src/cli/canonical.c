/* The scenarios that come tuned: the file canonical.txt beside the templates. */
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/scenarios.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int note_folder(void *user, const gputune_kernel *kernel)
{
    char **folder = user;
    const char *name = strrchr(kernel->path, '/');
    if (!*folder && name) {
        *folder = cli_format("%.*s", (int)(name - kernel->path), kernel->path);
    }
    return 0;
}

/* The scenarios of one line: "KERNEL NAME=V[,V...] ...". */
static int add_line(cli_scenarios *out, const char *line, const cli_session *session,
                    const cli_selection *selection)
{
    size_t length = strcspn(line, " ");
    char *name = cli_format("%.*s", (int)length, line);
    const char *sizes = cli_copy(line + length); /* the scenarios keep parts of it */
    cli_catalogue catalogue;
    cli_scenarios some;
    if (!name[0] || name[0] == '#' || !cli_is_selected(selection, name)) {
        return CLI_CONTINUE;
    }
    CLI_TRY(cli_catalogue_find(&catalogue, session, &name, 1));
    const cli_selection line_selection = {.sizes = {&sizes, *sizes != '\0'}};
    CLI_TRY(cli_scenarios_make(&some, &catalogue, &line_selection, session));
    for (size_t i = 0; i < some.count; i++) {
        out->items = cli_grow(out->items, out->count, sizeof *out->items);
        out->items[out->count++] = some.items[i];
    }
    return CLI_CONTINUE;
}

int cli_scenarios_canonical(cli_scenarios *out, const cli_session *session,
                            const cli_selection *selection)
{
    char *folder = NULL;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < selection->kernel_count; i++) {
        CLI_TRY(cli_catalogue_check(session, selection->kernels[i]));
    }
    CLI_TRY(cli_passed(gputune_kernels(session->tuner, note_folder, &folder)));
    char *path = cli_format("%s/canonical.txt", folder ? folder : ".");
    FILE *file = fopen(path, "re");
    if (!file) {
        return cli_stop(CLI_EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
    }
    int code = CLI_CONTINUE;
    char *line = NULL;
    size_t bytes = 0;
    while (code == CLI_CONTINUE && getline(&line, &bytes, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        code = add_line(out, line, session, selection);
    }
    free(line);
    (void)fclose(file);
    if (code == CLI_CONTINUE && !out->count) {
        return cli_stop(CLI_EXIT_NOTHING, "%s has no such kernel", path);
    }
    return code;
}
