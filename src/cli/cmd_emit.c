/* The command emit: prints the source, PTX or SASS of one configuration. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/files.h"
#include "cli/scenarios.h"
#include "cli/table.h"
#include "cli/tool.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- SASS ------------------------------------------------------------------------------------ */

static const struct tool {
    const char *name, *option; /* option may be NULL */
} tools[] = {{"nvdisasm", "--print-code"}, {"cuobjdump", "-sass"}};

/* The program `name` in the last of the folders that fit a pattern; NULL: it is in none. */
static char *find_in(const char *folders, const char *name)
{
    glob_t matches;
    char *path = NULL;
    if (glob(cli_format("%s/%s", folders, name), 0, NULL, &matches) == 0) {
        path = cli_copy(matches.gl_pathv[matches.gl_pathc - 1]);
        globfree(&matches);
    }
    return path && access(path, X_OK) == 0 ? path : NULL;
}

/* A folder that the environment names, with what follows it; "" where it names none. */
static const char *below(const char *variable, const char *rest)
{
    const char *folder = getenv(variable);
    return folder && folder[0] ? cli_format("%s%s", folder, rest) : "";
}

#define WHEELS "/lib/python3*/*-packages/nvidia/*/bin"

/* Looks for a program on PATH, then in toolkits, then in wheels of the user's Python. */
static char *find_program(const char *name)
{
    const char *at =
        cli_format("%s:%s:/usr/local/cuda/bin:/opt/cuda/bin:%s:%s:/usr/local" WHEELS ":/usr" WHEELS,
                   below("PATH", ""), below("CUDA_HOME", "/bin"), below("VIRTUAL_ENV", WHEELS),
                   below("HOME", "/.local" WHEELS));
    char *found = NULL;
    for (size_t length; *at && !found; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        found = length ? find_in(cli_copy_part(at, length), name) : NULL;
    }
    return found;
}

static char *find_tool(const struct tool **tool)
{
    char *path = NULL;
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !path; i++) {
        *tool = &tools[i];
        path = find_program(tools[i].name);
    }
    return path;
}

/* True when the tool ended with 0. */
static bool run_tool(const char *path, const struct tool *tool, const char *cubin, int output)
{
    const char *const arguments[] = {path, tool->option, cubin, NULL};
    cli_tool run = {.arguments = arguments, .output = output};
    bool good = cli_tool_run(&run) == 0;
    if (!good) {
        cli_error("%s failed%s%s", path, run.said[0] ? ": " : "", run.said);
    }
    return good;
}

static int run_on_file(const char *path, const struct tool *tool, const void *cubin, size_t bytes,
                       int output)
{
    char *folder = cli_tool_make_folder();
    if (!folder) {
        return CLI_EXIT_NOTHING;
    }
    const char *name = cli_format("%s/code.cubin", folder);
    int code = cli_output_write(name, true, cubin, bytes);
    if (code == CLI_EXIT_OK && !run_tool(path, tool, name, output)) {
        code = CLI_EXIT_NOTHING;
    }
    cli_tool_remove_folder(folder);
    return code;
}

/* Runs nvdisasm or cuobjdump, found on PATH, under CUDA_HOME or in the toolkit's default folder, on
 * the cubin; what it prints goes to descriptor `output`. Returns the program's exit code, after
 * saying what is wrong. */
static int disassemble(const void *cubin, size_t bytes, int output)
{
    const struct tool *tool;
    char *path = find_tool(&tool);
    CLI_REFUSE(!path, CLI_EXIT_PLATFORM,
               "SASS needs nvdisasm or cuobjdump, found neither on PATH, nor under CUDA_HOME, nor "
               "among Python's packages: 'pip install nvidia-cuda-nvdisasm' brings one; --as ptx "
               "needs none");
    return run_on_file(path, tool, cubin, bytes, output);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The options. */
static struct {
    cli_list configurations; /* one at most */
    int form;
} given;

enum { SASS = 2, CUBIN = 3 };
static const char *const form_words[] = {"source", "ptx", "sass", "cubin", NULL};
static const gputune_form forms[] = {GPUTUNE_FORM_SOURCE, GPUTUNE_FORM_PTX, GPUTUNE_FORM_CUBIN,
                                     GPUTUNE_FORM_CUBIN};

static int write_code(const char *text, size_t bytes)
{
    cli_output output;
    if (given.form != SASS) {
        return cli_output_write(cli_given.output, true, text, bytes);
    }
    CLI_TRY(cli_output_open(&output, cli_given.output, true));
    return cli_output_close(&output, disassemble(text, bytes, fileno(output.file)));
}

static int check(void)
{
    const cli_list *list = &given.configurations;
    CLI_REFUSE(list->count > 1, CLI_EXIT_USAGE,
               "emit: --config is given twice; one text names every axis: \"%s %s\"",
               list->items[0], list->items[1]);
    if (given.form == CUBIN && !cli_given.output && isatty(STDOUT_FILENO)) {
        return cli_stop(CLI_EXIT_USAGE, "a cubin is binary; --output FILE stores it");
    }
    return CLI_CONTINUE;
}

static int write_form(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    size_t bytes;
    const cli_list *list = &given.configurations;
    CLI_TRY(cli_passed(gputune_emit(&text, &bytes, session->tuner, scenario->kernel->name,
                                    scenario->sizes, list->count ? list->items[0] : NULL,
                                    cli_given.arch, forms[given.form])));
    return write_code(text, bytes);
}

static const cli_option options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\", axes left out as in the default [the default]"},
    {"as", 0, CLI_OPTION_CHOICE, &given.form, NULL, form_words, "which form [source]"},
    CLI_ARCH_OPTION,
    CLI_SIZE_OPTION,
    CLI_OUTPUT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int emit(const cli_arguments *arguments)
{
    CLI_TRY(check());
    return cli_single(cli_given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE, arguments->items,
                      write_form);
}

const cli_command cmd_emit = {"emit",
                              "the code of one configuration",
                              "KERNEL|PATH",
                              "Prints the code of one configuration.",
                              "SASS needs nvdisasm or cuobjdump of the CUDA toolkit.",
                              {1, 1},
                              options,
                              emit};
