/* warm: deals the scenarios out to the GPUs, one after another to each. */
#include "cli/warm.h"

#include "cli/records.h"
#include "cli/turns.h"

#include "base/clock.h"
#include "base/condition.h"

#include <math.h>
#include <string.h>

/* The GPUs of one kind, and the turns that are left for them: from `next` on. */
typedef struct kind {
    const cli_scenarios *scenarios;
    cli_turn *turns;
    size_t count, next;
} kind;

/* A GPU, and the thread that takes turns there. */
typedef struct bench {
    struct run *run;
    cli_gpu *gpu;
    kind *kind; /* NULL: the GPU is not open yet, or cannot be used */
    enum { IDLE, BUSY, DONE } state;
    cli_turn turn;
    double limit_s, begun_s;
    cli_progress progress;
    pthread_t thread;
    bool has_thread;
    /* set while it is BUSY: */
    gputune_plan *plan; /* NULL: `status` and message_of() say why */
    int status;
    gputune_info info;
} bench;

/* What the thread of the command, which opens GPUs, and those of the benches share. */
typedef struct run {
    cli_gpus *gpus;
    pthread_mutex_t desk; /* who holds it may use what is here, the console and cli/memory.h */
    pthread_cond_t news;  /* what a thread may wait for has changed */
    bench *benches;
    size_t count;
    kind *kinds;
    size_t kind_count, turn_count;
    size_t opened; /* GPUs that were tried to open */
    size_t begun;  /* turns */
    double start_s;
    cli_table table;
    int code;
    int refusal; /* exit code, if a GPU that was named cannot be used; else CLI_CONTINUE */
    bool stored; /* every winner was found in the database */
} run;

static double now_s(void)
{
    return gt_seconds_since(0);
}

static size_t count_usable(const run *run, const kind *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        count += run->benches[i].kind == kind && cli_gpus_is_usable(run->benches[i].gpu);
    }
    return count;
}

/* --- one turn --------------------------------------------------------------------------------- */

static void show_progress(void *user, const gputune_progress *at)
{
    bench *bench = user;
    pthread_mutex_lock(&bench->run->desk);
    cli_progress_update(&bench->progress, at);
    pthread_mutex_unlock(&bench->run->desk);
}

static bool measures(void)
{
    return cli_tuning.effort == 0 || cli_tuning.effort == 3;
}

static bool has_winner(const bench *bench)
{
    const gputune_info *info = &bench->info;
    return bench->status == GPUTUNE_OK &&
           (info->source == GPUTUNE_SOURCE_CACHED || info->source == GPUTUNE_SOURCE_MEASURED ||
            (!measures() && info->source != GPUTUNE_SOURCE_DEFAULT));
}

static void ask(bench *bench, const gputune_options *options)
{
    const cli_scenario *scenario = bench->turn.scenario;
    bench->plan = NULL;
    bench->info = (gputune_info){.version = GPUTUNE_INFO_VERSION};
    bench->status = tune_kernel(&bench->plan, bench->gpu->session.tuner, scenario->kernel->name,
                                scenario->sizes, options);
    if (bench->status == GPUTUNE_OK) {
        bench->status = gputune_plan_info(&bench->info, bench->plan);
    }
}

/* Raises the limit of a turn in which nothing was measured; false: there is no reason to. A table
 * (--canonical) is to have all of its scenarios, though preparing the inputs of some takes longer
 * than most searches. */
static bool raise_limit(const bench *bench, gputune_options *options)
{
    static const double most_s = 60, factor = 4;
    bool lacked_time = bench->status == GPUTUNE_ETIMEOUT || bench->status == GPUTUNE_OK;
    options->time_limit_s *= factor;
    return cli_warm.canonical && measures() && lacked_time && !has_winner(bench) &&
           !cli_is_canceled() && options->time_limit_s > 0 && options->time_limit_s <= most_s;
}

static void tune(bench *bench)
{
    gputune_options options = cli_tuning_options(bench->turn.scenario);
    options.force |= bench->turn.tried != NULL; /* what a broken GPU has stored is no evidence */
    options.time_limit_s = bench->limit_s;
    options.progress = show_progress;
    options.user = bench;
    ask(bench, &options);
    while (raise_limit(bench, &options)) {
        gputune_plan_release(bench->plan);
        ask(bench, &options);
    }
}

/* Why the turn that this thread has just taken ended. */
static const char *message_of(const bench *bench)
{
    return bench->status < 0 ? gputune_error() : bench->info.stop_reason;
}

/* --- the next turn ---------------------------------------------------------------------------- */

/* The limit of one turn: --time-limit, and its share of what is left of --total-limit. */
static double limit_of(const run *run, const kind *kind)
{
    double each_s = cli_tuning.options.time_limit_s;
    if (cli_warm.total_limit_s <= 0) {
        return each_s;
    }
    double left_s = cli_warm.total_limit_s - (now_s() - run->start_s);
    double share_s = cli_turns_share_s(kind->turns, kind->count, kind->next, left_s,
                                       count_usable(run, kind) + run->gpus->count - run->opened);
    return each_s > 0 && each_s < share_s ? each_s : share_s;
}

static bool is_kernel_in_hand(const run *run, const cli_turn *turn)
{
    for (size_t i = 0; i < run->count; i++) {
        const bench *other = &run->benches[i];
        if (other->state == BUSY && cli_turns_are_alike(&other->turn, turn)) {
            return true;
        }
    }
    return false;
}

/* The index of the turn to take next: the first turn of a kernel that no GPU is tuning, if there is
 * one, because a search begins with what was found at the kernel's other sizes. Of the last turns
 * it is the longest, so that the GPUs end together. */
static size_t find_turn(const run *run, const kind *kind)
{
    size_t at = kind->next, usable = count_usable(run, kind);
    if (usable > 1 && kind->count - at <= 2 * usable) {
        return cli_turns_longest(kind->turns, kind->count, at);
    }
    while (at < kind->count && is_kernel_in_hand(run, &kind->turns[at])) {
        at++;
    }
    return at < kind->count ? at : kind->next;
}

/* Puts the turn to take next in front of the turns that are left. */
static void choose_turn(const run *run, kind *kind)
{
    size_t at = cli_warm.from ? kind->next : find_turn(run, kind);
    cli_turn chosen = kind->turns[at];
    memmove(&kind->turns[kind->next + 1], &kind->turns[kind->next],
            (at - kind->next) * sizeof chosen);
    kind->turns[kind->next] = chosen;
}

static bool is_free(const bench *at)
{
    return at->state == IDLE && at->kind && cli_gpus_is_usable(at->gpu);
}

static void begin(run *run, bench *bench)
{
    kind *kind = bench->kind;
    choose_turn(run, kind);
    bench->limit_s = limit_of(run, kind);
    bench->turn = kind->turns[kind->next++];
    bench->begun_s = now_s();
    bench->state = BUSY;
    cli_progress_start(&bench->progress, bench->turn.scenario->label, run->begun++);
}

/* --- what became of it ------------------------------------------------------------------------ */

/* Whether an equal GPU may find a winner where this GPU found none. */
static bool may_be_its_fault(int status)
{
    static const int faults[] = {GPUTUNE_OK,       GPUTUNE_ENODRIVER, GPUTUNE_ECUDA,
                                 GPUTUNE_ECRASHED, GPUTUNE_EWRONG,    GPUTUNE_EWORKER,
                                 GPUTUNE_EDEVMEM};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (status == faults[i]) {
            return true;
        }
    }
    return false;
}

/* Leaves the bench's turn to an equal GPU, and waits for its result there. False: there is no equal
 * GPU, or it has tried the turn already. */
static bool pass_on(run *run, bench *bench)
{
    kind *kind = bench->kind;
    if (cli_is_canceled() || !may_be_its_fault(bench->status) || bench->turn.tried ||
        count_usable(run, kind) < 2) {
        return false;
    }
    bench->gpu->is_in_doubt = true;
    bench->turn.tried = bench;
    run->begun--;
    kind->turns[--kind->next] = bench->turn;
    cli_note("%s: %s: %s; an equal GPU tries it", bench->gpu->label, bench->turn.scenario->label,
             cli_without_kernel(message_of(bench), bench->turn.scenario->label));
    return true;
}

/* Judges by an equal GPU's second try whether the first try failed because of its GPU. A second try
 * that was answered without measuring may only have lacked time, and proves nothing. */
static void judge_first_try(const run *run, const bench *second)
{
    for (size_t i = 0; i < run->count; i++) {
        bench *first = &run->benches[i];
        if (second->turn.tried != first) {
            continue;
        }
        first->gpu->is_in_doubt = false;
        if (has_winner(second) && first->status < 0) {
            first->gpu->is_out = true;
            cli_error("%s gets no more work: %s failed there, and not on %s; see nvidia-smi and "
                      "the kernel's log",
                      first->gpu->label, second->turn.scenario->label, second->gpu->label);
        }
    }
}

/* Returns the exit code of a scenario without a winner. */
static int say_failure(const bench *bench)
{
    const char *label = bench->turn.scenario->label;
    const char *gpu = bench->gpu->label;
    const char *of = gpu ? cli_format("%s: %s", label, gpu) : label;
    const char *why = cli_without_kernel(message_of(bench), label);
    if (bench->status < 0) {
        cli_error("%s: %s", of, why[0] ? why : gputune_status_text(bench->status));
        return cli_exit_code(bench->status);
    }
    if (cli_is_canceled()) {
        return CLI_EXIT_OK;
    }
    const char *gets = bench->info.configuration;
    return cli_stop(CLI_EXIT_NOTHING, "%s: not tuned%s%s; programs get the %s configuration%s%s",
                    of, why[0] ? ": " : "", why, gputune_source_name(bench->info.source),
                    gets[0] ? ", " : "", gets);
}

static void report(run *run, const bench *bench)
{
    const cli_session *session = &bench->gpu->session;
    const cli_scenario *scenario = bench->turn.scenario;
    int code;
    run->stored &= bench->status < 0 || bench->info.source == GPUTUNE_SOURCE_CACHED;
    if (has_winner(bench)) {
        double kind = (double)(bench->kind - run->kinds);
        code = cli_warm_add(&run->table, kind * UINT32_MAX + (double)bench->turn.place,
                            &bench->info, session, scenario);
    } else {
        code = say_failure(bench);
    }
    if (bench->status < 0 || bench->info.failed) {
        cli_compile_log_of_trials(session, scenario);
    }
    run->code = cli_worse(run->code, code);
}

static void settle(run *run, bench *bench)
{
    bench->state = IDLE;
    cli_turns_note(bench->kind->turns, bench->kind->count, bench->kind->next, &bench->turn,
                   now_s() - bench->begun_s);
    cli_progress_end(&bench->progress);
    judge_first_try(run, bench);
    bool counts = run->refusal == CLI_CONTINUE; /* else why it was stopped has been said */
    if (counts && (has_winner(bench) || !pass_on(run, bench))) {
        report(run, bench);
    }
    gputune_plan_release(bench->plan);
}

/* Whether GPUs are still to be opened. */
static bool is_opening(const run *run)
{
    return !run->gpus->is_counted || run->opened < run->gpus->count;
}

/* A failure waits for the GPUs that may be asked to try the same. */
static void take_turn(run *run, bench *bench)
{
    begin(run, bench);
    pthread_mutex_unlock(&run->desk);
    tune(bench);
    pthread_mutex_lock(&run->desk);
    bench->state = DONE;
    while (is_opening(run) && !has_winner(bench)) {
        pthread_cond_wait(&run->news, &run->desk);
    }
    settle(run, bench);
    pthread_cond_broadcast(&run->news);
}

/* Whether a GPU is at work. */
static bool is_busy(const run *run)
{
    bool busy = false;
    for (size_t i = 0; i < run->count; i++) {
        busy |= run->benches[i].state != IDLE;
    }
    return busy;
}

/* A bench's thread: takes turns as long as there are some. */
static void *work(void *user)
{
    bench *bench = user;
    run *run = bench->run;
    pthread_mutex_lock(&run->desk);
    for (;;) {
        bool can = is_free(bench) && !cli_is_canceled();
        if (can && bench->kind->next < bench->kind->count) {
            take_turn(run, bench);
            continue;
        }
        if (!is_opening(run) && !is_busy(run)) {
            break; /* nothing can come by which this bench gets work */
        }
        pthread_cond_wait(&run->news, &run->desk);
    }
    pthread_mutex_unlock(&run->desk);
    return NULL;
}

static void start(run *run, bench *bench)
{
    bench->has_thread = pthread_create(&bench->thread, NULL, work, bench) == 0;
    if (!bench->has_thread) {
        cli_error("cannot start a thread for GPU %d", bench->gpu->number);
        run->code = cli_worse(run->code, CLI_EXIT_NOTHING);
    }
}

/* --- which GPUs ------------------------------------------------------------------------------- */

/* The turns in the order in which they are taken: a file of misses has an order of its own. */
static cli_turn *order_turns(const cli_session *session, const cli_scenarios *scenarios)
{
    cli_turn *turns = cli_turns_make(session, scenarios);
    for (size_t i = 0; i < scenarios->count; i++) {
        turns[i].known &= !cli_tuning.options.force;
        turns[i].begun |= cli_tuning.strategy == GPUTUNE_STRATEGY_EXHAUSTIVE; /* learns nothing */
    }
    if (!cli_warm.from) {
        cli_turns_sort(turns, scenarios->count);
    }
    cli_turns_weigh(turns, scenarios->count);
    return turns;
}

static kind *add_kind(run *run, const cli_gpu *gpu, const cli_scenarios *scenarios)
{
    kind *added = &run->kinds[run->kind_count++];
    *added = (kind){.scenarios = scenarios,
                    .turns = order_turns(&gpu->session, scenarios),
                    .count = scenarios->count};
    run->turn_count += added->count;
    for (size_t i = 0; i < run->count; i++) {
        run->benches[i].progress.count = run->turn_count;
    }
    return added;
}

/* Gives the tuner of a GPU the templates of its kind. */
static int share_templates(const kind *kind, const cli_session *session)
{
    const cli_kernel *last = NULL;
    for (size_t i = 0; i < kind->scenarios->count; i++) {
        const cli_kernel *kernel = kind->scenarios->items[i].kernel;
        int status = kernel == last ? 0 : gputune_add_template(session->tuner, kernel->path);
        if (status < 0) {
            return cli_fail(status);
        }
        last = kernel;
    }
    return CLI_CONTINUE;
}

/* Finds the kind of a GPU that was opened: that of an equal one, or a new one. */
static int find_kind(run *run, bench *bench)
{
    const cli_session *session = &bench->gpu->session;
    for (size_t i = 0; i < run->count; i++) {
        struct bench *other = &run->benches[i];
        if (other->kind && cli_gpus_are_equal(other->gpu, bench->gpu)) {
            bench->kind = other->kind;
            return share_templates(bench->kind, session);
        }
    }
    cli_scenarios *scenarios = cli_allocate(1, sizeof *scenarios);
    int code = cli_warm_find(scenarios, session);
    bench->kind = add_kind(run, bench->gpu, scenarios);
    return code == CLI_EXIT_NOTHING ? CLI_CONTINUE : code;
}

/* Lets a GPU that was opened take turns. Ends the run where one cannot be used that must be. */
static void admit(run *run, const cli_session *session, int status)
{
    bench *bench = &run->benches[run->opened];
    int code = cli_gpus_take(run->gpus, run->opened++, session, status);
    bool is_open = code == CLI_CONTINUE;
    bench->progress.gpu = bench->gpu->label;
    code = is_open ? find_kind(run, bench) : run->gpus->is_all ? CLI_CONTINUE : code;
    if (code != CLI_CONTINUE) {
        run->refusal = code;
        cli_set_canceled(true);
    } else if (is_open) {
        start(run, bench);
    }
    pthread_cond_broadcast(&run->news);
}

/* Whether the GPUs that are open have something to do, or leave a turn undone. */
static bool is_work_left(const run *run)
{
    bool left = is_busy(run);
    for (size_t i = 0; i < run->kind_count; i++) {
        left |= run->kinds[i].next < run->kinds[i].count;
    }
    return left;
}

/* Leaves the GPU that was opened last the time to make its context, because drivers that start at
 * the same time delay each other. */
static void await_context(run *run)
{
    static const double ready_s = 0.13; /* cuInit() takes 113 ms on an H100 */
    const int64_t begun_ns = gt_now_ns();
    double left_s;
    while (is_opening(run) && is_work_left(run) &&
           (left_s = ready_s - gt_seconds_since(begun_ns)) > 0) {
        gt_condition_wait(&run->news, &run->desk, left_s);
    }
}

/* Opens the GPUs but the first one after another: those of another model get winners of their own.
 */
static void open_others(run *run)
{
    cli_gpus *gpus = run->gpus;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&run->desk);
    await_context(run);
    if (is_opening(run)) {
        int counted = 0;
        pthread_mutex_unlock(&run->desk);
        (void)cli_gpus_count(&counted); /* if that fails, there is what has been opened */
        pthread_mutex_lock(&run->desk);
        cli_gpus_add(gpus, counted);
    }
    while (run->opened < gpus->count && !cli_is_canceled()) {
        cli_session session;
        pthread_mutex_unlock(&run->desk);
        int status = cli_gpus_open_at(&session, gpus, run->opened);
        pthread_mutex_lock(&run->desk);
        admit(run, &session, status);
        await_context(run);
    }
    run->opened = gpus->count;
    pthread_cond_broadcast(&run->news);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void take_turns(run *run)
{
    start(run, &run->benches[run->gpus->first]);
    open_others(run);
    for (size_t i = 0; i < run->count; i++) {
        if (run->benches[i].has_thread) {
            pthread_join(run->benches[i].thread, NULL);
        }
    }
}

static void set_up(run *run, cli_gpus *gpus, const cli_scenarios *scenarios)
{
    size_t count = gpus->is_counted ? gpus->count : CLI_GPUS_MOST;
    run->benches = cli_allocate(count, sizeof *run->benches);
    run->kinds = cli_allocate(count, sizeof *run->kinds);
    for (; run->count < count; run->count++) {
        bench *bench = &run->benches[run->count];
        bench->run = run;
        bench->gpu = &gpus->items[run->count];
        bench->progress.first = &run->benches[0].progress;
        bench->progress.next = run->count + 1 < count ? &bench[1].progress : NULL;
    }
    bench *first = &run->benches[gpus->first];
    first->progress.gpu = first->gpu->label;
    first->kind = add_kind(run, first->gpu, scenarios);
    run->opened = gpus->first + 1;
}

/* Whether what was found is kept in the database. */
static bool check_databases(run *run)
{
    bool kept = true;
    for (size_t i = 0; i < run->count && !run->stored; i++) {
        const cli_session *session = &run->benches[i].gpu->session;
        if (session->tuner && gputune_check_database(session->tuner) != GPUTUNE_OK) {
            run->code = cli_check_database(session, run->code);
            kept = false;
        }
    }
    return kept;
}

static int end(run *run)
{
    if (run->refusal != CLI_CONTINUE) {
        return run->refusal;
    }
    if (!run->turn_count && !cli_warm.shard.count) {
        return CLI_EXIT_NOTHING;
    }
    if (cli_is_canceled() && !cli_is_interrupted()) { /* outdated: the next table follows */
        return CLI_EXIT_CANCELED;
    }
    cli_warm_print(&run->table, run->kind_count > 1);
    bool kept = check_databases(run);
    if (cli_is_canceled() && kept) {
        cli_note("stopped; what is finished is stored, running again goes on from there");
    }
    return cli_is_canceled() ? CLI_EXIT_CANCELED : run->code;
}

int cli_warm_tune(cli_gpus *gpus, const cli_scenarios *scenarios)
{
    run run = {.gpus = gpus,
               .desk = PTHREAD_MUTEX_INITIALIZER,
               .start_s = now_s(),
               .table = cli_warm_table(),
               .refusal = CLI_CONTINUE,
               .stored = true};
    gt_condition_open(&run.news);
    set_up(&run, gpus, scenarios);
    take_turns(&run);
    return end(&run);
}
