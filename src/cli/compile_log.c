/* Fetches the compiler's log of a variant that does not compile, for --verbose. */
#include "cli/compile_log.h"

#include "cli/console.h"

#include <string.h>

void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration)
{
    char *code;
    size_t bytes;
    gputune_form form = session->device.emulated ? GPUTUNE_FORM_PTX : GPUTUNE_FORM_CUBIN;
    if (cli_console_is_verbose() && gputune_emit(&code, &bytes, session->tuner, kernel, sizes,
                                                 configuration, NULL, form) == GPUTUNE_OK) {
        gputune_free(code);
    }
}

typedef struct failure {
    const char *sizes;
    char *configuration, *created;
} failure;

static int take_newest(void *user, const gputune_record *record)
{
    failure *last = user;
    bool fits = strcmp(record->status, "compile") == 0 && strcmp(record->sizes, last->sizes) == 0;
    if (fits && (!last->created || strcmp(record->created, last->created) > 0)) {
        last->configuration = cli_copy(record->configuration);
        last->created = cli_copy(record->created);
    }
    return 0;
}

void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario)
{
    failure last = {.sizes = scenario->size_text};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = scenario->kernel->name;
    filter.all_trials = true;
    if (!cli_console_is_verbose()) {
        return;
    }
    void *mark = cli_mark();
    (void)gputune_records(session->tuner, &filter, take_newest, &last);
    if (last.configuration) {
        cli_compile_log(session, scenario->kernel->name, cli_scenario_sizes(scenario),
                        last.configuration);
    }
    cli_release(mark, NULL);
}
