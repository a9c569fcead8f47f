/* Finds the scenarios that warm tunes: from the command line, a file of misses or canonical.txt. */
#include "cli/warm.h"

#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct cli_warm cli_warm;

/* Returns true if the command line selects the kernel, which is a name or PATH:KERNEL. A path on
 * the command line selects all kernels of that file. */
static bool is_selected(const char *kernel)
{
    const cli_list *named = &cli_warm.kernels;
    bool is_one = !named->count;
    for (size_t i = 0; i < named->count && !is_one; i++) {
        char real[PATH_MAX];
        const char *name = named->items[i], *one = strstr(name, ".cu:");
        const char *file = one ? cli_copy_part(name, (size_t)(one - name) + strlen(".cu")) : name;
        const bool is_file = cli_is_path(name) && realpath(file, real);
        const size_t length = is_file ? strlen(real) : 0;
        is_one = strcmp(kernel, name) == 0 ||
                 (is_file && strncmp(kernel, real, length) == 0 && kernel[length] == ':' &&
                  (!one || strcmp(kernel + length, one + strlen(".cu")) == 0));
    }
    return is_one;
}

static int add_some(cli_scenarios *out, const cli_session *session, const char *kernel,
                    const char *sizes, const char *only)
{
    const cli_selection selection = {.sizes = {&sizes, *sizes != '\0'},
                                     .only = {&only, *only != '\0'}};
    cli_catalogue catalogue;
    cli_scenarios some;
    CLI_TRY(cli_catalogue_find(&catalogue, session, &(cli_list){&kernel, 1}));
    CLI_TRY(cli_scenarios_make(&some, &catalogue, &selection, session));
    for (size_t i = 0; i < some.count; i++) {
        cli_add(out, some.items[i]);
    }
    return CLI_CONTINUE;
}

typedef struct wanted {
    cli_scenarios *out;
    const cli_session *session;
    const char *environment; /* environment of the misses to list; NULL: any environment */
    size_t elsewhere;
} wanted;

/* Reads "16 x=4 y=8": an alignment for all buffers, followed by alignments of single buffers. */
static void read_alignment(gputune_options *terms, const char *text)
{
    char *name, *value;
    gputune_alignment *each = NULL;
    while (cli_next_pair(&text, &name, &value)) {
        if (!value[0]) {
            terms->alignment = (uint32_t)strtoul(name, NULL, 10);
            continue;
        }
        cli_push(each, terms->alignment_count,
                 (gputune_alignment){name, (uint32_t)strtoul(value, NULL, 10)});
    }
    terms->alignments = each;
}

static int accept_kernel(void *user, const gputune_kernel *kernel)
{
    (void)user;
    (void)kernel;
    return 0;
}

static void add_miss(const wanted *to, const gputune_miss *one)
{
    static const char seeded[] = "seed="; /* generated inputs are written as "seed=N" */
    size_t at = to->out->count;
    if (strncmp(one->inputs, seeded, strlen(seeded)) != 0 || strchr(one->inputs, ' ')) {
        cli_note("%s %s: skipped, because it was requested with the program's own data (inputs "
                 "'%s'), which is not available here; expected 'seed=NUMBER'",
                 one->kernel, one->sizes, one->inputs);
    } else if (gputune_kernels(to->session->tuner, one->kernel, accept_kernel, NULL) < 0) {
        cli_note("%s %s: skipped, because no template has this kernel", one->kernel, one->sizes);
    } else if (add_some(to->out, to->session, one->kernel, one->sizes, one->only) == CLI_CONTINUE) {
        gputune_options *terms = cli_allocate(1, sizeof *terms);
        terms->objective = one->objective;
        terms->cache = one->cache;
        terms->seed = strtoull(one->inputs + strlen(seeded), NULL, 10);
        to->out->items[at].terms = terms;
        read_alignment(terms, one->alignment);
    }
}

static int take_miss(void *user, const gputune_miss *one)
{
    wanted *to = user;
    const bool is_here = !to->environment || strcmp(to->environment, one->environment) == 0;
    const bool selected = is_selected(one->kernel);
    if (selected && is_here) {
        add_miss(to, one);
    }
    to->elsewhere += selected && !is_here;
    return 0;
}

/* Lists the misses of --from, with the most frequent miss first. Skips misses of kernels that are
 * not selected. Without --any-gpu, also skips misses of other kinds of GPU. */
static int list_wanted(cli_scenarios *out, const cli_session *session)
{
    bool any_gpu = cli_given.any_gpu || !session->has_device;
    wanted to = {out, session, any_gpu ? NULL : session->device.environment, 0};
    CLI_TRY(cli_passed(gputune_misses(cli_warm.from, take_miss, &to)));
    if (to.elsewhere) {
        cli_note("left out %zu scenario%s of other kinds of GPU; --any-gpu includes them",
                 to.elsewhere, gt_plural(to.elsewhere));
    }
    if (!out->count) {
        cli_note("%s lists nothing to tune on this GPU", cli_warm.from);
        return CLI_EXIT_NOTHING;
    }
    return CLI_CONTINUE;
}

static int note_folder(void *user, const gputune_kernel *kernel)
{
    char **folder = user;
    const char *name = strrchr(kernel->path, '/');
    if (!*folder && name) {
        *folder = cli_format("%.*s", (int)(name - kernel->path), kernel->path);
    }
    return 0;
}

/* Lists the scenarios of canonical.txt, which is in the folder of the templates. A line has KERNEL
 * and sizes as in --size; "#" begins a comment. */
static int list_canonical(cli_scenarios *out, const cli_session *session)
{
    char *folder = NULL;
    cli_catalogue named;
    CLI_TRY(cli_catalogue_find(&named, session, &cli_warm.kernels));
    CLI_TRY(cli_passed(gputune_kernels(session->tuner, NULL, note_folder, &folder)));
    char *path = cli_format("%s/canonical.txt", folder ? folder : ".");
    size_t bytes;
    const char *text = cli_read_text(path, &bytes);
    CLI_REFUSE(!text, CLI_EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        char *line = cli_copy_part(text, length);
        char *name = cli_copy_part(line, strcspn(line, " "));
        if (name[0] && name[0] != '#' && is_selected(name)) {
            CLI_TRY(add_some(out, session, name, line + strlen(name), ""));
        }
    }
    CLI_REFUSE(!out->count, CLI_EXIT_NOTHING, "%s lists none of these kernels", path);
    return CLI_CONTINUE;
}

static int list_named(cli_scenarios *out, const cli_session *session)
{
    cli_catalogue catalogue;
    CLI_TRY(cli_catalogue_find(&catalogue, session, &cli_warm.kernels));
    for (size_t i = 0; i < cli_warm.kernels.count; i++) {
        cli_note_own_references(session, cli_warm.kernels.items[i]);
    }
    return cli_scenarios_make(out, &catalogue, &cli_given.selection, session);
}

int cli_warm_find(cli_scenarios *out, const cli_session *session)
{
    memset(out, 0, sizeof *out);
    CLI_TRY((cli_warm.canonical ? list_canonical
             : cli_warm.from    ? list_wanted
                                : list_named)(out, session));
    cli_shard_keep(out);
    return CLI_CONTINUE;
}
