/* Copies the library's kernels, so that the command line can find them by name. */
#include "cli/catalogue.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/nearest.h"

#include <stdlib.h>
#include <string.h>

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".cu") == 0);
}

/* Splits "n=4 T=float" into names and values; either array may be NULL to leave that out. */
static size_t split_pairs(char ***names, char ***values, const char *text)
{
    size_t count = 0;
    text = text ? text : "";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " "), name = strcspn(text, "= ");
        *names = cli_grow(*names, count, sizeof **names);
        (*names)[count] = cli_copy_part(text, name);
        if (values) {
            const char *value = text + name + (name < length);
            *values = cli_grow(*values, count, sizeof **values);
            (*values)[count] = cli_copy_part(value, length - (size_t)(value - text));
        }
        text += length;
        count++;
    }
    return count;
}

static int add_kernel(void *user, const gputune_kernel *kernel)
{
    cli_catalogue *catalogue = user;
    catalogue->kernels = cli_grow(catalogue->kernels, catalogue->count, sizeof *catalogue->kernels);
    cli_kernel *copy = &catalogue->kernels[catalogue->count++];
    memset(copy, 0, sizeof *copy);
    copy->name = cli_copy(kernel->name);
    copy->path = cli_copy(kernel->path ? kernel->path : "");
    copy->summary = cli_copy(kernel->summary ? kernel->summary : "");
    copy->sizes = cli_copy(kernel->sizes ? kernel->sizes : "");
    copy->axes = cli_copy(kernel->axes ? kernel->axes : "");
    copy->objective = kernel->objective;
    copy->size_count = split_pairs(&copy->size_names, &copy->size_values, copy->sizes);
    copy->axis_count = split_pairs(&copy->axis_names, NULL, copy->axes);
    return 0;
}

int cli_catalogue_load(cli_catalogue *out, const cli_session *session, char *const *names,
                       size_t count)
{
    *out = (cli_catalogue){NULL, 0};
    int status = 0;
    for (size_t i = 0; i < count && status >= 0; i++) {
        if (is_path(names[i])) {
            status = gputune_add_template(session->tuner, names[i]);
        }
    }
    if (status >= 0) {
        status = gputune_kernels(session->tuner, add_kernel, out);
    }
    if (status < 0) {
        cli_catalogue_free(out);
        return cli_fail(status);
    }
    return CLI_CONTINUE;
}

static bool same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = real_a && real_b && strcmp(real_a, real_b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

int cli_catalogue_find(const cli_kernel **out, const cli_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const cli_kernel *kernel = &catalogue->kernels[i];
        if (strcmp(kernel->name, name) == 0 || strcmp(kernel->path, name) == 0 ||
            (is_path(name) && same_file(kernel->path, name))) {
            *out = kernel;
            return CLI_CONTINUE;
        }
    }
    const char **names = cli_allocate(catalogue->count, sizeof *names);
    for (size_t i = 0; i < catalogue->count; i++) {
        names[i] = catalogue->kernels[i].name;
    }
    int code = cli_unknown("kernel", name, names, catalogue->count);
    free(names);
    return code;
}

int cli_catalogue_name(const char **out, cli_catalogue *catalogue, const cli_session *session,
                       char *argument)
{
    const cli_kernel *kernel;
    *catalogue = (cli_catalogue){NULL, 0};
    *out = argument;
    if (!is_path(argument)) {
        return CLI_CONTINUE;
    }
    int code = cli_catalogue_load(catalogue, session, &argument, 1);
    if (code == CLI_CONTINUE) {
        code = cli_catalogue_find(&kernel, catalogue, argument);
    }
    if (code == CLI_CONTINUE) {
        *out = kernel->name;
    }
    return code;
}

int cli_catalogue_check(const cli_session *session, const char *name)
{
    cli_catalogue catalogue;
    const cli_kernel *found;
    int code = cli_catalogue_load(&catalogue, session, NULL, 0);
    if (code == CLI_CONTINUE) {
        code = cli_catalogue_find(&found, &catalogue, name);
        cli_catalogue_free(&catalogue);
    }
    return code;
}

static void free_list(char **list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) {
        free(list[i]);
    }
    free(list);
}

void cli_catalogue_free(cli_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        cli_kernel *kernel = &catalogue->kernels[i];
        free_list(kernel->size_names, kernel->size_count);
        free_list(kernel->size_values, kernel->size_count);
        free_list(kernel->axis_names, kernel->axis_count);
        free(kernel->name);
        free(kernel->path);
        free(kernel->summary);
        free(kernel->sizes);
        free(kernel->axes);
    }
    free(catalogue->kernels);
    *catalogue = (cli_catalogue){NULL, 0};
}
