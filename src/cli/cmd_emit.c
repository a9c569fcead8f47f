/* The command emit: prints the source, PTX or SASS of one configuration. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/disassemble.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/scenarios.h"
#include "cli/table.h"

#include <string.h>
#include <unistd.h>

typedef struct settings {
    cli_common common;
    cli_selection selection;
    cli_list configurations; /* one at most */
    const char *arch, *output;
    int form;
} settings;

enum { SASS = 2, CUBIN = 3 };
static const char *const form_words[] = {"source", "ptx", "sass", "cubin", NULL};
static const gputune_form forms[] = {GPUTUNE_FORM_SOURCE, GPUTUNE_FORM_PTX, GPUTUNE_FORM_CUBIN,
                                     GPUTUNE_FORM_CUBIN};

static int write_code(const settings *settings, const char *text, size_t bytes)
{
    cli_output output;
    int code = cli_output_open(&output, settings->output, true);
    if (code != CLI_CONTINUE) {
        return code;
    }
    if (settings->form == SASS) {
        return cli_output_close(&output, cli_disassemble(text, bytes, fileno(output.file)));
    }
    (void)fwrite(text, 1, bytes, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static int check(const settings *settings)
{
    const cli_list *list = &settings->configurations;
    if (list->count > 1) {
        cli_error("emit: --config is given twice; one text names every axis: \"%s %s\"",
                  list->items[0], list->items[1]);
        return CLI_EXIT_USAGE;
    }
    if (settings->form == CUBIN && !settings->output && isatty(STDOUT_FILENO)) {
        cli_error("a cubin is binary; --output FILE stores it");
        return CLI_EXIT_USAGE;
    }
    return CLI_CONTINUE;
}

static int emit(void *user, const cli_session *session, const cli_scenario *scenario)
{
    const settings *settings = user;
    char *text;
    size_t bytes;
    const cli_list *list = &settings->configurations;
    int status = gputune_emit(&text, &bytes, session->tuner, scenario->kernel->name,
                              cli_scenario_sizes(scenario), list->count ? list->items[0] : NULL,
                              settings->arch, forms[settings->form]);
    if (status < 0) {
        return cli_fail(status);
    }
    int code = write_code(settings, text, bytes);
    gputune_free(text);
    return code;
}

int cmd_emit(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"config", 'c', CLI_OPTION_LIST, &settings.configurations, "CONFIGURATION",
         "\"AXIS=V AXIS=V\", axes left out as in the default [the\ndefault]", NULL},
        {"as", 0, CLI_OPTION_CHOICE, &settings.form, NULL, "which form [source]", form_words},
        {"arch", 0, CLI_OPTION_TEXT, &settings.arch, "sm_XX",
         "for this architecture instead of the GPU at hand", NULL},
        CLI_SIZE_OPTION(&settings.selection),
        {"output", 'o', CLI_OPTION_TEXT, &settings.output, "FILE", "write there [stdout]", NULL},
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {"emit",
                             "KERNEL|PATH",
                             "Prints the code of one configuration.",
                             "SASS needs nvdisasm or cuobjdump of the CUDA toolkit.",
                             1,
                             1,
                             options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code == CLI_CONTINUE) {
        code = check(&settings);
    }
    cli_open_mode mode = settings.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE;
    return code == CLI_CONTINUE ? cli_single(&settings.common, mode, &settings.selection,
                                             arguments.items, emit, &settings)
                                : code;
}
