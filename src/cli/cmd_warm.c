/* The command warm: its options, compiling without measuring, and --watch. */
#include "cli/files.h"
#include "cli/warm.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_compiled, name, title, unit, where)

static const cli_column columns[] = {
    SAME(kernel, "kernel", CLI_TEXT, BOTH),
    SAME(arch, "arch", CLI_TEXT, BOTH),
    SAME(configuration, "configuration", CLI_TEXT, BOTH),
    SAME(status, "status", CLI_TEXT, BOTH),
    SAME(registers, "regs", CLI_SOME_COUNT, BOTH),
    SAME(spill_bytes, "spills", CLI_COUNT, BOTH),
    SAME(shared_bytes, "shared", CLI_COUNT, BOTH),
    SAME(compile_ns, "compile", CLI_DURATION, BOTH),
    SAME(message, "message", CLI_TEXT, BOTH),
    SAME(log, "", CLI_TEXT, DATA),
};

typedef struct work {
    cli_table table;
    const cli_scenario *scenario;
    uint32_t done, failed; /* numbers of variants of this scenario */
} work;

static int add_variant(void *user, const gputune_compiled *compiled)
{
    work *at = user;
    bool ok = strcmp(compiled->status, "ok") == 0;
    at->done++;
    at->failed += !ok;
    gputune_compiled row = *compiled;
    row.log = ok ? "" : compiled->log; /* show the log only after errors */
    cli_table_add(&at->table, &row);
    if (!ok && compiled->log && compiled->log[0]) {
        cli_console_log(NULL, GPUTUNE_LOG_INFO, compiled->log);
    }
    cli_console_progress("%s: %u compiled", at->scenario->label, at->done);
    return cli_canceled ? GPUTUNE_ECANCELED : 0;
}

static int compile_kernels(work *at, const cli_session *session)
{
    const char *label = at->scenario->label;
    gputune_options options = cli_tuning_options(at->scenario);
    at->done = at->failed = 0;
    int status = gputune_compile(session->tuner, at->scenario->kernel->given, at->scenario->sizes,
                                 cli_given.arch, &options, add_variant, at);
    cli_console_progress_end();
    if (cli_canceled) {
        return CLI_EXIT_CANCELED;
    }
    CLI_REFUSE(status < 0, cli_exit_code(status), "%s: %s", label,
               cli_without_kernel(gputune_error(), label));
    cli_note("%s: %u variants compiled, %u failed", label, at->done - at->failed, at->failed);
    return at->done > at->failed ? CLI_EXIT_OK : CLI_EXIT_TEMPLATE;
}

static int compile_all(const cli_session *session, const cli_scenarios *scenarios)
{
    work at = {.table = CLI_TABLE("variants", columns, gputune_compiled, CLI_VIEW)};
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < scenarios->count && !cli_canceled; i++) {
        at.scenario = &scenarios->items[i];
        code = cli_worse(code, compile_kernels(&at, session));
    }
    cli_table_print(&at.table);
    return cli_check_database(session, code);
}

/* Each option, and the options with which it cannot be combined. */
static const char *const exclusive[][2] = {
    {"canonical", "from watch"},
    {"gpus", "compile-only device samples"},
    {"watch", "gpus shard compile-only from"},
    {"sizes", "size gpus shard from canonical compile-only watch report samples total-limit"},
    {"pinned", "force compile-only watch db sizes report"},
    {"total-limit", "compile-only"}};
static const char *const needs[][2] = {
    {"arch", "compile-only"}, {"variants", "sizes"}, {"any-gpu", "from"}};

static int check_options(void)
{
    const cli_list *kernels = &cli_warm.kernels;
    CLI_REFUSE(!cli_warm.from && !cli_warm.canonical && !kernels->count, CLI_EXIT_USAGE,
               "warm: an argument is missing: a KERNEL, a PATH, --from FILE or --canonical; see "
               "'gputune help warm'");
    CLI_REFUSE(cli_is_given("variants") && !cli_warm.variants, CLI_EXIT_USAGE,
               "--variants: a rule needs at least one variant");
    CLI_REFUSE((cli_warm.from || cli_warm.canonical) &&
                   (cli_given.selection.sizes.count || cli_given.selection.only.count ||
                    cli_given.selection.starts.count),
               CLI_EXIT_USAGE,
               "warm: %s already sets sizes and restrictions; leave out --size, --only and --start",
               cli_warm.from ? "--from" : "--canonical");
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++) {
        const char *others = exclusive[i][1];
        char *other, *value;
        while (cli_is_given(exclusive[i][0]) && cli_next_pair(&others, &other, &value)) {
            CLI_REFUSE(cli_is_given(other), CLI_EXIT_USAGE,
                       "warm: --%s and --%s cannot be combined", exclusive[i][0], other);
        }
    }
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        CLI_REFUSE(cli_is_given(needs[i][0]) && !cli_is_given(needs[i][1]), CLI_EXIT_USAGE,
                   "warm: --%s needs --%s", needs[i][0], needs[i][1]);
    }
    for (size_t i = 0; i < kernels->count; i++) {
        CLI_REFUSE(cli_warm.watch && !cli_is_path(kernels->items[i]), CLI_EXIT_USAGE,
                   "warm: --watch: found '%s'; expected the path of a template, as in ./mine.cu",
                   kernels->items[i]);
    }
    return CLI_CONTINUE;
}

static int warm_kernels(void)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    cli_scenarios scenarios = {0};
    if (cli_warm.gpus && !cli_given.own_gpu) {
        return cli_fleet_run();
    }
    cli_open_mode compiling = cli_given.arch ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE;
    CLI_TRY(cli_open(&session, cli_warm.compile_only ? compiling : CLI_OPEN_TUNING));
    if (cli_warm.regions.count) {
        return cli_warm_rules(&session);
    }
    int code = cli_warm_find(&scenarios, &session);
    if (code != CLI_CONTINUE && code != CLI_EXIT_NOTHING) {
        return code;
    }
    if (!scenarios.count && !cli_warm.shard.count && !cli_warm.gpus) {
        return CLI_EXIT_NOTHING;
    }
    cli_catch_interrupt();
    return cli_warm.compile_only ? compile_all(&session, &scenarios)
           : cli_warm.gpus       ? cli_fleet_serve(&session, &scenarios)
                                 : cli_warm_tune(&session, &scenarios);
}

enum { SETTLED_MS = 100 }; /* tuning starts when a changed file has stayed the same for this time */

typedef struct watched {
    const char *path;
    struct stat facts; /* state of the file at the last check; all 0 if it did not exist */
} watched;

static struct {
    CLI_LIST(watched) files;
    const char *changed; /* path of a file that has changed since the tuning began, or NULL */
} watch;

static struct stat facts_of(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? facts : (struct stat){0};
}

/* Adds a file, unless the list has it under this or another path. The file need not exist. */
static void add_file(const char *path)
{
    const watched added = {path, facts_of(path)};
    for (size_t i = 0; i < watch.files.count; i++) {
        const watched *known = &watch.files.items[i];
        bool same = added.facts.st_ino && known->facts.st_ino == added.facts.st_ino &&
                    known->facts.st_dev == added.facts.st_dev &&
                    strcmp(gt_base_name(known->path), gt_base_name(path)) == 0;
        if (same || strcmp(known->path, path) == 0) {
            return;
        }
    }
    cli_add(&watch.files, added);
}

/* Adds a header in every include folder, because the header may appear in any of them. */
static void add_include(const char *from, const char *name)
{
    const cli_list *folders = &cli_given.include_paths;
    const char *more = getenv("GPUTUNE_INCLUDE");
    add_file(cli_path_beside(from, name));
    for (size_t i = 0; i < folders->count; i++) {
        add_file(cli_format("%s/%s", folders->items[i], name));
    }
    for (more = more ? more : ""; *more; more += strspn(more, ":")) {
        size_t length = strcspn(more, ":");
        add_file(cli_format("%.*s/%s", (int)length, more, name));
        more += length;
    }
}

static void list_files(void)
{
    memset(&watch, 0, sizeof watch);
    for (size_t i = 0; i < cli_warm.kernels.count; i++) {
        const char *path = cli_warm.kernels.items[i], *kernel = strstr(path, ".cu:");
        add_file(kernel ? cli_copy_part(path, (size_t)(kernel - path) + 3) : path);
    }
    for (size_t i = 0; i < watch.files.count; i++) { /* the list grows in the loop */
        size_t bytes;
        const char *path = watch.files.items[i].path, *text = cli_read_text(path, &bytes);
        while (text && *text) {
            char *name = cli_next_include(&text);
            if (name) {
                add_include(path, name);
            }
        }
    }
}

/* Checks all files for changes. Polling works on every file system, unlike inotify. */
static bool take_changes(void)
{
    bool found = false;
    for (size_t i = 0; i < watch.files.count; i++) {
        watched *file = &watch.files.items[i];
        const struct stat before = file->facts, now = facts_of(file->path);
        if (now.st_ino != before.st_ino || now.st_size != before.st_size ||
            now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != before.st_mtim.tv_nsec) {
            file->facts = now;
            watch.changed = file->path;
            found = true;
        }
    }
    return found;
}

void cli_watch(void)
{
    if (take_changes()) {
        cli_canceled = 1;
    }
}

static int tune_and_wait(bool is_first)
{
    list_files();
    int code = cli_rewrite_end(warm_kernels());
    fflush(stdout);
    bool is_done = !cli_canceled;
    if (is_first && is_done &&
        (code == CLI_EXIT_USAGE || code == CLI_EXIT_PLATFORM || code == CLI_EXIT_DATABASE)) {
        return code; /* saving a file cannot fix this */
    }
    if (is_done) {
        cli_note("waiting for changes to %s or its includes; press Ctrl-C to end",
                 watch.files.items[0].path);
    }
    do {
        poll(NULL, 0, SETTLED_MS);
    } while (!cli_interrupted && (take_changes() || !watch.changed));
    cli_canceled = 0;
    if (cli_interrupted) {
        return is_done ? CLI_EXIT_OK : CLI_EXIT_CANCELED;
    }
    if (cli_console_is_able(stdout)) {
        fputs("\033[H\033[2J", stdout);
        fflush(stdout);
    }
    cli_note("%s has changed", watch.changed);
    return CLI_CONTINUE;
}

/* Tunes, and tunes again whenever a selected template or a file that it includes in quotes is
 * saved. Saving a file cancels a running tuning. The command ends on Ctrl-C, or if the first tuning
 * fails for a reason that saving a file cannot fix. */
static int warm_watch(void)
{
    int code = CLI_CONTINUE;
    cli_catch_interrupt();
    for (bool is_first = true; code == CLI_CONTINUE; is_first = false) {
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        code = tune_and_wait(is_first);
    }
    return code;
}

static int check_and_run(const cli_list *kernels)
{
    cli_warm.kernels = *kernels;
    CLI_TRY(cli_tuning_inputs());
    CLI_TRY(cli_shard_read(cli_warm.shard_text));
    CLI_TRY(check_options());
    cli_fleet_join();
    CLI_TRY(cli_shard_check());
    CLI_TRY(cli_rewrite_begin());
    return cli_warm.watch ? warm_watch() : cli_rewrite_end(warm_kernels());
}

static const char more[] =
    "All kernels of a file are tuned; PATH:KERNEL tunes one. Every kernel is tuned at every "
    "combination of the sizes, from the middle outward, because a search begins with the best "
    "results at other sizes. Rows are printed in the given order. Stored winners are not measured "
    "again. Ctrl-C keeps finished results, and running again continues from there. With --gpus, "
    "GPUs of the same kind share the scenarios, and each kind gets its own winners. A scenario "
    "that fails on a GPU is repeated on another GPU of its kind; if it succeeds there, the first "
    "GPU gets no more work. With --shard, runs with the same scenarios divide them; 'gputune "
    "merge' joins their databases. --watch also watches the files that PATHs include in quotes; "
    "saving one during a tuning starts the tuning again. Ctrl-C while it waits exits with 0.\n"
    "Exit code: 0 every scenario has a winner, 1 no winner, 2 usage, 3 no NVRTC, driver or GPU, 4 "
    "template or compile error, 5 wrong results (of the default, or of most variants), 6 database, "
    "130 stopped by Ctrl-C, SIGTERM or SIGHUP. If the default crashes or does not compile, the "
    "code is 1 or 4, even if another variant has won.";

static const cli_option options[] = {
    CLI_SIZE_OPTION,
    {"sizes", 0, CLI_OPTION_LIST, &cli_warm.regions, "NAME=MIN:MAX[,...]", NULL,
     "make a rule that chooses a variant for each size of a region: m=64:16K,n=64:16K,T=half"},
    {"variants", 0, CLI_OPTION_COUNT, &cli_warm.variants, "COUNT", NULL,
     "with --sizes: how many differently compiled variants the rule may choose from [16]"},
    CLI_ONLY_OPTION,
    CLI_START_OPTION,
    {"objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.options.objective, NULL, cli_objective_words,
     "what is optimised; default: rate for a kernel whose launches do different work, launch for "
     "one whose parameters can be passed in several ways, otherwise kernel"},
    CLI_INPUT_OPTION,
    CLI_CACHE_OPTION,
    CLI_LIMIT_OPTION,
    {"total-limit", 0, CLI_OPTION_NUMBER, &cli_warm.total_limit_s, "SECONDS", NULL,
     "for all scenarios together, at least a second for each; the first search of a kernel gets "
     "three times the share of a later one, and unused time goes to later ones [none]"},
    CLI_MEMORY_OPTION,
    CLI_ALIGNMENT_OPTION,
    {"max-variants", 'm', CLI_OPTION_COUNT, &cli_tuning.options.max_variants, "COUNT", NULL,
     "try at most this many variants [all]"},
    {"strategy", 0, CLI_OPTION_CHOICE, &cli_tuning.options.strategy, NULL, cli_strategy_words,
     "which variants of a large space are tried first; auto: all of them if the time limit "
     "suffices [auto]"},
    {"seed", 0, CLI_OPTION_COUNT, &cli_tuning.seed, "NUMBER", NULL,
     "seed of the generated inputs, the search and the race [1]"},
    {"effort", 0, CLI_OPTION_CHOICE, &cli_tuning.effort, NULL, cli_effort_words,
     "exhaustive: no variant is dropped early; estimate: rank without measuring [measure]"},
    {"epsilon", 0, CLI_OPTION_NUMBER, &cli_tuning.options.epsilon, "FRACTION", NULL,
     "the smallest gain worth looking for, above 0 and below 1 [0.005]"},
    {"force", 0, CLI_OPTION_FLAG, &cli_tuning.options.force, NULL, NULL,
     "measure again, even if a result is stored; results at other sizes still decide what is tried "
     "first"},
    CLI_SAMPLES_OPTION,
    {"from", 0, CLI_OPTION_TEXT, &cli_warm.from, "FILE", NULL,
     "tune the requests of programs for which no result was stored, as recorded by GPUTUNE_RECORD, "
     "the most frequent first; KERNELs select among them"},
    {"pinned", 0, CLI_OPTION_TEXT, &cli_given.pinned, "FILE", NULL,
     "tune nothing: show the results in this file of wisdom, as programs get them with "
     "GPUTUNE_PINNED; a scenario that it lacks fails"},
    {"canonical", 0, CLI_OPTION_FLAG, &cli_warm.canonical, NULL, NULL,
     "tune the scenarios of the results that come with gputune, listed in canonical.txt beside the "
     "templates; KERNELs select among them; a time limit that is too short to measure anything is "
     "raised, up to 60 s"},
    {"any-gpu", 0, CLI_OPTION_FLAG, &cli_given.any_gpu, NULL, NULL,
     "with --from: also scenarios of other kinds of GPU"},
    {"compile-only", 0, CLI_OPTION_FLAG, &cli_warm.compile_only, NULL, NULL,
     "compile and store every variant, measure nothing"},
    {"arch", 0, CLI_OPTION_TEXT, &cli_given.arch, "sm_XX", NULL,
     "with --compile-only: for this architecture, without a GPU"},
    {"watch", 0, CLI_OPTION_FLAG, &cli_warm.watch, NULL, NULL,
     "tune PATHs again whenever they are saved, until Ctrl-C"},
    {"report", 0, CLI_OPTION_TEXT, &cli_warm.report, "FILE", NULL,
     "write the page of the command report every few seconds; it reloads itself until the tuning "
     "ends"},
    {"gpus", 0, CLI_OPTION_TEXT, &cli_warm.gpus, "all|N[,N...]", NULL,
     "on several GPUs of this machine at once, by their numbers in 'gputune devices'; they share "
     "the cores [--device]"},
    {"shard", 0, CLI_OPTION_TEXT, &cli_warm.shard_text, "I/N", NULL,
     "only the I-th of N parts of the scenarios, I from 0: a process's rank and the number of "
     "processes"},
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS,
};

const cli_command cmd_warm = {"warm",
                              "tune kernels and store the winners",
                              "[KERNEL|PATH...]",
                              "Tunes kernels and stores the winners.",
                              more,
                              {0, SIZE_MAX},
                              options,
                              check_and_run};
