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

static char *executable(const char *folder, size_t length, const char *name)
{
    char *path = cli_format("%.*s/%s", (int)length, folder, name);
    if (length && access(path, X_OK) == 0) {
        return path;
    }
    return NULL;
}

static char *on_path(const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char *found = executable(path, length, name);
        if (found) {
            return found;
        }
        path += length + (path[length] == ':');
    }
    return NULL;
}

static char *in_toolkit(const char *name)
{
    const char *home = getenv("CUDA_HOME");
    const char *const prefixes[] = {home ? home : "", "/usr/local/cuda", "/opt/cuda"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        char *folder = cli_format("%s/bin", prefixes[i]);
        char *found = prefixes[i][0] ? executable(folder, strlen(folder), name) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

/* Looks for the program `name` in a wheel of the user's Python. */
static char *in_wheel(const char *name)
{
    const char *home = getenv("HOME"), *environment = getenv("VIRTUAL_ENV");
    char *local = cli_format("%s/.local", home ? home : "");
    const char *const prefixes[] = {environment ? environment : "", local, "/usr/local", "/usr"};
    char *found = NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !found; i++) {
        glob_t matches;
        char *pattern = cli_format("%s/lib/python3*/*-packages/nvidia/*/bin/%s", prefixes[i], name);
        if (prefixes[i][0] && glob(pattern, 0, NULL, &matches) == 0) {
            found = cli_copy(matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
        }
    }
    return found;
}

static char *find_tool(const struct tool **tool)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        *tool = &tools[i];
        char *path = on_path(tools[i].name);
        path = path ? path : in_toolkit(tools[i].name);
        path = path ? path : in_wheel(tools[i].name);
        if (path) {
            return path;
        }
    }
    return NULL;
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
    cli_output file;
    const char *name = cli_format("%s/code.cubin", folder);
    int code = cli_output_open(&file, name, true);
    if (code == CLI_CONTINUE) {
        (void)fwrite(cubin, 1, bytes, file.file);
        code = cli_output_close(&file, CLI_EXIT_OK);
    }
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
    if (!path) {
        return cli_stop(
            CLI_EXIT_PLATFORM,
            "SASS needs nvdisasm or cuobjdump, found neither on PATH, nor under CUDA_HOME, nor "
            "among Python's packages: 'pip install nvidia-cuda-nvdisasm' brings one; --as ptx "
            "needs none");
    }
    return run_on_file(path, tool, cubin, bytes, output);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The options. */
static struct {
    cli_common common;
    cli_selection selection;
    cli_list configurations; /* one at most */
    const char *arch, *output;
    int form;
} given;

enum { SASS = 2, CUBIN = 3 };
static const char *const form_words[] = {"source", "ptx", "sass", "cubin", NULL};
static const gputune_form forms[] = {GPUTUNE_FORM_SOURCE, GPUTUNE_FORM_PTX, GPUTUNE_FORM_CUBIN,
                                     GPUTUNE_FORM_CUBIN};

static int write_code(const char *text, size_t bytes)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, given.output, true));
    if (given.form == SASS) {
        return cli_output_close(&output, disassemble(text, bytes, fileno(output.file)));
    }
    (void)fwrite(text, 1, bytes, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static int check(void)
{
    const cli_list *list = &given.configurations;
    if (list->count > 1) {
        return cli_stop(CLI_EXIT_USAGE,
                        "emit: --config is given twice; one text names every axis: \"%s %s\"",
                        list->items[0], list->items[1]);
    }
    if (given.form == CUBIN && !given.output && isatty(STDOUT_FILENO)) {
        return cli_stop(CLI_EXIT_USAGE, "a cubin is binary; --output FILE stores it");
    }
    return CLI_CONTINUE;
}

static int write_form(const cli_session *session, const cli_scenario *scenario)
{
    char *text;
    size_t bytes;
    const cli_list *list = &given.configurations;
    CLI_TRY(cli_passed(gputune_emit(
        &text, &bytes, session->tuner, scenario->kernel->name, cli_scenario_sizes(scenario),
        list->count ? list->items[0] : NULL, given.arch, forms[given.form])));
    return write_code(text, bytes);
}

static const cli_option options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION",
     "\"AXIS=V AXIS=V\", axes left out as in the default [the default]", NULL},
    {"as", 0, CLI_OPTION_CHOICE, &given.form, NULL, "which form [source]", form_words},
    CLI_ARCH_OPTION(&given.arch),
    CLI_SIZE_OPTION(&given.selection),
    CLI_OUTPUT_OPTION(&given.output),
    CLI_TUNER_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

static int emit(const cli_arguments *arguments)
{
    CLI_TRY(check());
    return cli_single(&given.common, given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE,
                      &given.selection, arguments->items, write_form);
}

const cli_command cmd_emit = {"emit",
                              "the code of one configuration",
                              "KERNEL|PATH",
                              "Prints the code of one configuration.",
                              "SASS needs nvdisasm or cuobjdump of the CUDA toolkit.",
                              1,
                              1,
                              options,
                              emit};
