/* Which stored records a command is about. */
#include "cli/stored.h"

#include "cli/console.h"
#include "cli/sizes.h"

int cli_stored_sizes(const char **out, const cli_list *texts)
{
    cli_values values = {NULL, 0};
    char *text = NULL;
    int code = cli_values_read(&values, "--size", texts);
    for (size_t i = 0; i < values.count; i++) {
        const cli_value_list *list = &values.lists[i];
        cli_append(&text, "%s%s=", i ? " " : "", list->name);
        for (size_t v = 0; v < list->count; v++) {
            cli_append(&text, "%s%s", v ? "," : "", list->values[v]);
        }
    }
    *out = text;
    return code;
}

int cli_stored_filter(gputune_record_filter *out, const cli_stored *stored,
                      const cli_session *session)
{
    out->gpu = stored->gpu;
    out->any_gpu = stored->any_gpu || stored->gpu || !session->has_device;
    return cli_stored_sizes(&out->sizes, &stored->sizes);
}

int cli_stored_nothing(const cli_session *session, const gputune_record_filter *filter)
{
    const char *kernel = filter->kernel;
    CLI_TRY(kernel ? cli_catalogue_check(session, kernel) : CLI_CONTINUE);
    const char *gpu = filter->gpu       ? cli_format(" on a GPU '%s'", filter->gpu)
                      : filter->any_gpu ? ""
                                        : " on this GPU";
    const char *sizes = filter->sizes ? cli_format(" at %s", filter->sizes) : "";
    cli_note("nothing is stored for %s%s%s; 'gputune warm %s' tunes%s",
             kernel ? kernel : "any kernel", gpu, sizes, kernel ? kernel : "KERNEL",
             filter->any_gpu ? "" : ", --any-gpu takes other GPUs' records too");
    return CLI_EXIT_NOTHING;
}
