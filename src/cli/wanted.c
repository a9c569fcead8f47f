/* Makes scenarios of what programs asked for and did not find, as a file of misses has it. */
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/scenarios.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char seeded[] = "seed="; /* inputs that can be made here */

/* A miss with texts of its own. */
typedef struct miss {
    char *kernel, *sizes, *only, *alignment, *inputs;
    gputune_objective objective;
    gputune_cache cache;
} miss;

typedef struct reading {
    const char *environment; /* NULL: any */
    const cli_selection *selection;
    miss *items;
    size_t count, elsewhere;
} reading;

bool cli_is_selected(const cli_selection *selection, const char *kernel)
{
    for (size_t i = 0; i < selection->kernel_count; i++) {
        if (strcmp(selection->kernels[i], kernel) == 0) {
            return true;
        }
    }
    return !selection->kernel_count;
}

static int take(void *user, const gputune_miss *one)
{
    reading *at = user;
    if (!cli_is_selected(at->selection, one->kernel)) {
        return 0;
    }
    if (at->environment && strcmp(at->environment, one->environment) != 0) {
        at->elsewhere++;
        return 0;
    }
    at->items = cli_grow(at->items, at->count, sizeof *at->items);
    at->items[at->count++] = (miss){
        cli_copy(one->kernel), cli_copy(one->sizes), cli_copy(one->only), cli_copy(one->alignment),
        cli_copy(one->inputs), one->objective,       one->cache};
    return 0;
}

/* ---- one scenario ---------------------------------------------------------------------------- */

/* "16 x=4 y=8": of every buffer, and of single ones. Splits the text in place. */
static void read_alignment(cli_terms *terms, char *text)
{
    char *end;
    terms->alignment = (uint32_t)strtoul(text, &end, 10);
    for (char *at = end + strspn(end, " "); *at; at += strspn(at, " ")) {
        char *equals = strchr(at, '=');
        if (!equals) {
            return;
        }
        *equals = '\0';
        terms->alignments =
            cli_grow(terms->alignments, terms->alignment_count, sizeof *terms->alignments);
        terms->alignments[terms->alignment_count++] =
            (gputune_alignment){at, (uint32_t)strtoul(equals + 1, &at, 10)};
    }
}

/* The restrictions stand one after another: "UNROLL=1,2; VEC=1". */
static int make_scenario(cli_scenarios *out, const cli_catalogue *catalogue,
                         const cli_session *session, miss *one)
{
    cli_selection selection = {.kernel_count = 0};
    const char *sizes = one->sizes, *only = one->only;
    for (char *at = one->only; *at; at++) {
        *at = (char)(*at == ';' ? ' ' : *at);
    }
    selection.sizes = (cli_list){&sizes, *sizes != '\0'};
    selection.only = (cli_list){&only, *only != '\0'};
    CLI_TRY(cli_scenarios_make(out, catalogue, &selection, session));
    cli_terms *terms = &out->items[0].terms;
    terms->given = true;
    terms->objective = one->objective;
    terms->cache = one->cache;
    terms->seed = strtoull(one->inputs + strlen(seeded), NULL, 10);
    read_alignment(terms, one->alignment);
    return CLI_CONTINUE;
}

static int found(void *user, const gputune_kernel *kernel)
{
    (void)user;
    (void)kernel;
    return 0;
}

static int find_kernel(cli_catalogue *out, const cli_session *session, miss *one)
{
    if (gputune_find_kernels(session->tuner, one->kernel, found, NULL) < 0) {
        cli_note("%s %s: left out, as there is no such kernel here", one->kernel, one->sizes);
        return CLI_EXIT_NOTHING;
    }
    return cli_catalogue_find(out, session, &one->kernel, 1);
}

/* A miss that cannot be made a scenario does not stop the others. */
static void add(cli_scenarios *out, const cli_session *session, miss *one)
{
    if (strncmp(one->inputs, seeded, strlen(seeded)) != 0) {
        cli_note("%s %s: left out, as its inputs are '%s'; expected 'seed=NUMBER', since data of "
                 "the program is not here",
                 one->kernel, one->sizes, one->inputs);
        return;
    }
    cli_catalogue catalogue;
    cli_scenarios single;
    if (find_kernel(&catalogue, session, one) == CLI_CONTINUE &&
        make_scenario(&single, &catalogue, session, one) == CLI_CONTINUE) { /* else they say why */
        out->items = cli_grow(out->items, out->count, sizeof *out->items);
        out->items[out->count++] = single.items[0];
    }
}

/* Templates that programs named by their path. */
static void add_paths(const reading *at, const cli_session *session)
{
    for (size_t i = 0; i < at->count; i++) {
        if (strchr(at->items[i].kernel, '/') &&
            gputune_add_template(session->tuner, at->items[i].kernel) < 0) {
            cli_note("%s", gputune_error());
        }
    }
}

int cli_scenarios_wanted(cli_scenarios *out, const char *path, const cli_session *session,
                         const cli_selection *selection, bool any_gpu)
{
    reading at = {.selection = selection,
                  .environment =
                      any_gpu || !session->has_device ? NULL : session->device.environment};
    memset(out, 0, sizeof *out);
    CLI_TRY(cli_passed(gputune_misses(path, take, &at)));
    add_paths(&at, session);
    for (size_t i = 0; i < at.count; i++) {
        add(out, session, &at.items[i]);
    }
    if (at.elsewhere) {
        cli_note("%zu scenario%s of other kinds of GPU left out; --any-gpu takes them too",
                 at.elsewhere, gt_plural(at.elsewhere));
    }
    return CLI_CONTINUE;
}
