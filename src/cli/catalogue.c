/* Reads names with values, and copies the library's kernels, so that the command line can find them
 * by name. */
#include "cli/catalogue.h"

#include "cli/console.h"
#include "cli/memory.h"
#include "cli/units.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') {
            return false;
        }
    }
    return length > 0 && !isdigit((unsigned char)text[0]);
}

cli_value_list *cli_values_named(cli_values *values, char *name)
{
    const cli_value_list *known = cli_values_find(values, name);
    if (known) {
        return &values->lists[known - values->lists];
    }
    cli_push(values->lists, values->count, (cli_value_list){.name = name});
    return &values->lists[values->count - 1];
}

/* Shows the same with a blank in place of each comma that a name follows. */
static int fail_comma(const char *option, const char *word)
{
    char *parted = cli_copy(word);
    char *comma = NULL;
    for (char *at = parted; *at; at++) {
        if (*at == '=' && comma) {
            *comma = ' ';
        }
        comma = *at == ',' ? at : *at == '=' ? NULL : comma;
    }
    return cli_stop(CLI_EXIT_USAGE,
                    "%s: '%s' has a second name behind a comma; separate names by blanks: '%s'",
                    option, word, parted);
}

/* One NAME=V,V. */
static int parse_assignment(cli_values *out, const char *option, const char *word)
{
    const char *at = strchr(word, '=');
    CLI_REFUSE(!at || !is_name(word, (size_t)(at - word)), CLI_EXIT_USAGE,
               "%s: found '%s'; expected NAME=VALUE[,VALUE...]", option, word);
    cli_value_list *list = cli_values_named(out, cli_copy_part(word, (size_t)(at - word)));
    while (*at++) {
        size_t length = strcspn(at, ",");
        CLI_REFUSE(length == 0, CLI_EXIT_USAGE,
                   "%s: a value is missing in '%s'; expected NAME=VALUE[,VALUE...]", option, word);
        if (memchr(at, '=', length)) {
            return fail_comma(option, word);
        }
        cli_push(list->values, list->count, cli_copy_part(at, length));
        at += length;
    }
    return CLI_CONTINUE;
}

int cli_values_parse(cli_values *out, const char *option, const char *text)
{
    const char *blanks = " \t\n;";
    text += strspn(text, blanks);
    CLI_REFUSE(!*text, CLI_EXIT_USAGE, "%s: a value is missing; expected NAME=VALUE[,VALUE...]",
               option);
    for (size_t length; *text; text += strspn(text, blanks)) {
        length = strcspn(text, blanks);
        CLI_TRY(parse_assignment(out, option, cli_copy_part(text, length)));
        text += length;
    }
    return CLI_CONTINUE;
}

int cli_values_read(cli_values *out, const char *option, const cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        CLI_TRY(cli_values_parse(out, option, texts->items[i]));
    }
    return CLI_CONTINUE;
}

const cli_value_list *cli_values_find(const cli_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->lists[i].name, name) == 0) {
            return &values->lists[i];
        }
    }
    return NULL;
}

char *cli_values_text(const cli_value_list *list)
{
    char *text = cli_format("%s=", list->name);
    for (size_t i = 0; i < list->count; i++) {
        cli_append(&text, "%s%s", i ? "," : "", list->values[i]);
    }
    return text;
}

bool cli_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || strstr(name, ".cu:") ||
           (length > 3 && strcmp(name + length - 3, ".cu") == 0);
}

/* Takes "n=4 T=float" apart. */
static cli_values values_of(const char *text)
{
    cli_values out = {NULL, 0};
    char *name, *value;
    while (text && cli_next_pair(&text, &name, &value)) {
        cli_value_list *one = cli_values_named(&out, name);
        cli_push(one->values, one->count, value);
    }
    return out;
}

static bool same_file(const char *a, const char *b)
{
    char real_a[PATH_MAX], real_b[PATH_MAX];
    bool both = realpath(a, real_a) && realpath(b, real_b);
    return strcmp(both ? real_a : a, both ? real_b : b) == 0;
}

static int add_kernel(void *user, const gputune_kernel *kernel)
{
    cli_catalogue *catalogue = user;
    const char *path = kernel->path ? kernel->path : "";
    for (size_t i = 0; i < catalogue->count; i++) {
        const cli_kernel *known = &catalogue->kernels[i];
        if (strcmp(known->name, kernel->name) == 0 && same_file(known->path, path)) {
            return 0;
        }
    }
    cli_push(catalogue->kernels, catalogue->count,
             (cli_kernel){.name = cli_copy(kernel->name),
                          .path = cli_copy(path),
                          .sizes = values_of(kernel->sizes),
                          .axes = values_of(kernel->axes),
                          .objective = kernel->objective});
    return 0;
}

static int unknown_name(const cli_session *session, const char *name)
{
    CLI_REFUSE(strchr(name, '='), CLI_EXIT_USAGE,
               "unknown kernel '%s'; a size is given by --size %s", name, name);
    cli_catalogue all = {NULL, 0};
    CLI_TRY(cli_passed(gputune_kernels(session->tuner, add_kernel, &all)));
    const char **names = cli_allocate(all.count, sizeof *names);
    for (size_t i = 0; i < all.count; i++) {
        names[i] = all.kernels[i].name;
    }
    const char *file = cli_format("./%s.cu", name);
    CLI_REFUSE(access(file, R_OK) == 0, CLI_EXIT_USAGE,
               "unknown kernel '%s'; a template of your own is named by its path: %s", name, file);
    return cli_unknown("kernel", name, names, all.count);
}

/* A file's kernels are those at hand from now on, also by their names. */
static int find(cli_catalogue *out, const cli_session *session, const char *name)
{
    size_t first = out->count;
    if (cli_is_path(name)) {
        CLI_TRY(cli_passed(gputune_add_template(session->tuner, name)));
        return cli_passed(gputune_find_kernels(session->tuner, name, add_kernel, out));
    }
    int status = gputune_find_kernels(session->tuner, name, add_kernel, out);
    if (status >= 0 && first < out->count &&
        strcmp(out->kernels[first].name, name) != 0) { /* the name of a file */
        status = gputune_add_template(session->tuner, out->kernels[first].path);
    }
    return status == GPUTUNE_ENOTFOUND ? unknown_name(session, name) : cli_passed(status);
}

/* Refuses a kernel whose name another one of the catalogue has: the library could use only one of
 * them by that name. */
static int check_name(const cli_catalogue *catalogue, size_t at)
{
    const cli_kernel *kernel = &catalogue->kernels[at];
    for (size_t i = 0; i < at; i++) {
        const cli_kernel *other = &catalogue->kernels[i];
        CLI_REFUSE(strcmp(other->name, kernel->name) == 0, CLI_EXIT_USAGE,
                   "kernel '%s' is in %s and in %s; name one of them", kernel->name, other->path,
                   kernel->path);
    }
    return CLI_CONTINUE;
}

int cli_catalogue_find(cli_catalogue *out, const cli_session *session, char *const *names,
                       size_t count)
{
    *out = (cli_catalogue){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        size_t first = out->count;
        CLI_TRY(find(out, session, names[i]));
        for (size_t k = first; k < out->count; k++) {
            CLI_TRY(check_name(out, k));
        }
    }
    return CLI_CONTINUE;
}

static int find_stored(cli_catalogue *out, const cli_session *session, const char *name)
{
    if (cli_is_path(name)) {
        return cli_catalogue_find(out, session, (char *const *)&name, 1);
    }
    *out = (cli_catalogue){NULL, 0};
    if (gputune_find_kernels(session->tuner, name, add_kernel, out) < 0) {
        const gputune_kernel gone = {.version = GPUTUNE_KERNEL_VERSION, .name = name};
        add_kernel(out, &gone); /* records outlive templates */
    }
    return CLI_CONTINUE;
}

int cli_catalogue_one(const cli_catalogue *catalogue)
{
    const cli_kernel *first = &catalogue->kernels[0];
    char *list = NULL;
    if (catalogue->count == 1) {
        return CLI_CONTINUE;
    }
    for (size_t i = 0; i < catalogue->count; i++) {
        cli_append(&list, "%s%s", i ? ", " : "", catalogue->kernels[i].name);
    }
    return cli_stop(CLI_EXIT_USAGE, "%s has the kernels %s; this command takes one, as in %s:%s",
                    first->path, list, first->path, first->name);
}

int cli_catalogue_stored_one(const char **out, const cli_session *session, const char *name)
{
    cli_catalogue catalogue;
    *out = NULL;
    if (!name) {
        return CLI_CONTINUE;
    }
    CLI_TRY(find_stored(&catalogue, session, name));
    *out = catalogue.kernels[0].name;
    return cli_catalogue_one(&catalogue);
}

int cli_catalogue_check(const cli_session *session, const char *name)
{
    cli_catalogue catalogue;
    return cli_catalogue_find(&catalogue, session, (char *const *)&name, 1);
}

int cli_stored_sizes(const char **out)
{
    cli_values values = {NULL, 0};
    char *text = NULL;
    int code = cli_values_read(&values, "--size", &cli_given.selection.sizes);
    for (size_t i = 0; i < values.count; i++) {
        cli_append(&text, "%s%s", i ? " " : "", cli_values_text(&values.lists[i]));
    }
    *out = text;
    return code;
}

int cli_stored_filter(gputune_record_filter *out, const cli_session *session)
{
    out->gpu = cli_given.gpu;
    out->any_gpu = cli_given.any_gpu || cli_given.gpu || !session->has_device;
    return cli_stored_sizes(&out->sizes);
}

int cli_stored_read(gputune_record_filter *filter, const cli_session *session, const char *name,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    cli_catalogue catalogue = {.count = 1};
    CLI_TRY(name ? find_stored(&catalogue, session, name) : CLI_CONTINUE);
    for (size_t i = 0; i < catalogue.count; i++) {
        filter->kernel = name ? catalogue.kernels[i].name : NULL;
        int status = gputune_records(session->tuner, filter, each, user);
        CLI_TRY(status == GPUTUNE_ENOTFOUND ? CLI_CONTINUE : cli_passed(status));
    }
    return CLI_CONTINUE;
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
