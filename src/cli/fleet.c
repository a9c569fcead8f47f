/* warm --gpus: tunes on several GPUs, with a child process for each GPU. The parent opens no GPU.
 * It sends each child one scenario at a time, draws the progress and prints one table; children
 * print their own messages. If a GPU or its driver fails, only the child's current scenario fails,
 * and another GPU of the same kind tunes this scenario again. Parent and child exchange messages
 * over a socket. A child lists its scenarios, sends READY, and answers each ORDER with ROW or
 * FAILED. GPUs are of one kind if results of one are valid for the others; all GPUs of a kind share
 * one queue of scenarios. The children share the CPU cores for compiling through the file of
 * GPUTUNE_CORES. */
#include "cli/warm.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- messages -------------------------------------------------------------------------------- */

/* The kinds of messages. The contents of each message are in parentheses. */
typedef enum message_kind {
    DRAW,   /* the progress text of the scenario; "" removes the text (text) */
    LISTED, /* a scenario (turn, kernel, label) */
    READY,  /* the GPU is open and all scenarios are listed (environment, label) */
    ROW,    /* the scenario has a winner (code, packed table row) */
    FAILED, /* the scenario has no winner (code, failure, message) */
    ORDER   /* the parent orders a scenario (turn, limit, index, count) */
} message_kind;

typedef enum failure_kind {
    FINAL,       /* no other GPU can do better */
    NO_WINNER,   /* another GPU may find a winner */
    GPU_MAY_FAIL /* an error that another GPU may not have */
} failure_kind;

typedef struct message {
    message_kind kind;
    failure_kind failure;
    int code;
    cli_turn turn; /* the receiver does not use its pointers, except to see which are NULL */
    size_t index, count;
    double limit_s;
    size_t bytes;
    char body[65000];
} message;

/* Sends a message. Returns false if the receiver has ended. */
static bool send_message(int channel, message *out)
{
    size_t bytes = offsetof(message, body) + out->bytes;
    ssize_t sent;
    do {
        sent = send(channel, out, bytes, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)bytes;
}

/* Sends a message with two texts. Long texts are cut. */
static bool send_texts(int channel, message *out, const char *first, const char *second)
{
    const int most = sizeof out->body / 2 - 1;
    out->bytes = 1 + (size_t)snprintf(out->body, sizeof out->body, "%.*s%c%.*s", most, first, '\0',
                                      most, second);
    return send_message(channel, out);
}

static bool receive_message(message *out, int channel)
{
    ssize_t got = recv(channel, out, sizeof *out - 1, 0);
    if (got < (ssize_t)offsetof(message, body)) {
        return false;
    }
    out->body[out->bytes] = '\0';
    return true;
}

/* ---- the child ------------------------------------------------------------------------------- */

static const char variable[] = "GPUTUNE_FLEET"; /* set in a child to "INDEX GPU CHANNEL PARENT" */

static struct {
    int channel;
    bool is_quiet; /* the option --quiet */
    const char *label;
    message message; /* large */
} own;

static void send_progress(const char *text)
{
    own.message = (message){.kind = DRAW};
    if (!send_texts(own.channel, &own.message, text, "")) {
        cli_canceled = 1;
    }
}

void cli_fleet_join(void)
{
    char *text = getenv(variable);
    int numbers[4];
    if (!text) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        numbers[i] = (int)strtol(text, &text, 10);
    }
    cli_given.own_gpu = cli_format("%d", numbers[1]);
    own.is_quiet = cli_given.quiet;
    cli_given.quiet |= numbers[0] > 0; /* the first child prints notes about the scenarios */
    cli_warm.report = NULL;            /* only the parent writes the report */
    own.channel = numbers[2];
    unsetenv(variable); /* worker processes must not inherit the variable */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGTTOU, SIG_IGN); /* its process group is in the background, but may print */
    cli_console_draw_by(send_progress);
    if (getppid() != numbers[3]) {
        _exit(CLI_EXIT_CANCELED);
    }
}

static void list_turns(const cli_session *session, const cli_scenarios *scenarios)
{
    const cli_turn *turns = cli_warm_turns(session, scenarios);
    for (size_t i = 0; i < scenarios->count; i++) {
        const cli_scenario *scenario = turns[i].scenario;
        own.message = (message){.kind = LISTED, .turn = turns[i]};
        (void)send_texts(own.channel, &own.message, scenario->kernel->given, scenario->label);
    }
    own.message = (message){.kind = READY};
    (void)send_texts(own.channel, &own.message, session->device.environment, own.label);
}

static void send_answer(const cli_tuned *tuned, const cli_session *session,
                        const cli_scenario *scenario)
{
    message *out = &own.message;
    if (tuned->has_winner) {
        cli_table row = cli_warm_table();
        int code = cli_warm_add(&row, 0, &tuned->info, session, scenario);
        *out = (message){.kind = ROW, .code = code};
        out->bytes = cli_table_pack(&row, out->body, sizeof out->body - 1);
        (void)send_message(own.channel, out);
        return;
    }
    char *text = cli_copy("");
    int code = cli_warm_failure(&text, tuned, scenario->label, own.label);
    *out = (message){.kind = FAILED,
                     .code = code,
                     .failure = !code || !cli_warm_may_be_gpu(tuned->status) ? FINAL
                                : tuned->status < 0                          ? GPU_MAY_FAIL
                                                                             : NO_WINNER};
    (void)send_texts(own.channel, out, text, "");
}

int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios)
{
    bool stored = true;
    cli_given.quiet = own.is_quiet;
    own.label = cli_format("GPU %s (%s)", cli_given.own_gpu, session->device.name);
    cli_progress progress = {.gpu = own.label};
    list_turns(session, scenarios);
    for (message *order = cli_allocate(1, sizeof *order); receive_message(order, own.channel);) {
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        const cli_scenario *scenario = &scenarios->items[order->turn.place];
        cli_tuned tuned;
        progress.count = order->count;
        progress.index = order->index;
        stored &= cli_warm_try(&tuned, session, scenario, order->limit_s, order->turn.tried != NULL,
                               &progress);
        send_answer(&tuned, session, scenario);
        gputune_plan_release(tuned.plan);
    }
    return stored ? CLI_EXIT_OK : cli_check_database(session, CLI_EXIT_OK);
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* The GPUs of one kind and their scenarios. Scenarios before `next` have been sent to a GPU. */
typedef struct kind {
    const char *environment;
    cli_turn *turns;
    size_t count, next;
} kind;

typedef struct child {
    int number; /* number of the GPU */
    pid_t pid;  /* 0 if the child is not running */
    int channel;
    const char *label;
    CLI_LIST(cli_turn) listed; /* scenarios that the child listed before READY */
    kind *kind;                /* the GPU's kind; NULL before READY or if the GPU is unusable */
    bool is_busy, is_out;
    cli_turn turn;
    int64_t start_ns;
    /* The failure of the current scenario, which is handled after all GPUs are open, or of the last
     * scenario while another GPU is trying it: this GPU then gets no work. `failed` is the message,
     * "" if there is nothing to print, and NULL without a failure. */
    const char *failed;
    failure_kind failure;
    int code;
    char shown[160]; /* progress text */
} child;

enum { MOST = 64 };

static struct {
    child children[MOST];
    size_t count, started;
    bool is_all;
    kind kinds[MOST];
    size_t kind_count, turn_count, started_count;
    int64_t start_ns;
    cli_table table;
    int code;
    int refusal; /* exit code if a requested GPU cannot be used; otherwise CLI_CONTINUE */
    int unopened;
    message message;
} fleet;

/* Reads GPU numbers such as "0,2". A repeated number is an error. */
static int read_numbers(const char *which)
{
    for (const char *at = which;; at++) {
        long number = cli_take_number(&at, INT_MAX);
        bool is_good = number >= 0 && (*at == ',' || !*at) && fleet.count < MOST;
        for (size_t i = 0; i < fleet.count; i++) {
            is_good &= fleet.children[i].number != number;
        }
        CLI_REFUSE(!is_good, CLI_EXIT_USAGE,
                   "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                   which);
        fleet.children[fleet.count++].number = (int)number;
        if (!*at) {
            return CLI_CONTINUE;
        }
    }
}

/* Lists the GPUs. If there is none and no driver was requested, "all" means the emulated GPUs. */
static int list_gpus(const char *which)
{
    int count = 0;
    fleet.is_all = strcmp(which, "all") == 0;
    if (!fleet.is_all) {
        return read_numbers(which);
    }
    int status = gputune_device_count(&count, cli_given.driver);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_requested()) {
        status = gputune_device_count(&count, "emu");
    }
    for (; (int)fleet.count < count && fleet.count < MOST; fleet.count++) {
        fleet.children[fleet.count].number = (int)fleet.count;
    }
    return cli_passed(status);
}

static int spawn_child(child *child, int channel)
{
    posix_spawnattr_t attributes;
    setenv(variable,
           cli_format("%zu %d %d %ld", (size_t)(child - fleet.children), child->number, channel,
                      (long)getpid()),
           1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int error =
        posix_spawn(&child->pid, "/proc/self/exe", NULL, &attributes, cli_given.words, environ);
    posix_spawnattr_destroy(&attributes);
    unsetenv(variable);
    return error;
}

static bool is_last_open(void)
{
    const child *last = fleet.started ? &fleet.children[fleet.started - 1] : NULL;
    return !last || !last->pid || last->kind;
}

static bool is_opening(void)
{
    return !is_last_open() || (fleet.started < fleet.count && !cli_canceled);
}

/* Starts the next child after the previous one has opened its GPU, because drivers that start at
 * the same time delay each other. */
static void start_next(void)
{
    int ends[2];
    if (!is_last_open() || fleet.started == fleet.count || cli_canceled) {
        return;
    }
    child *child = &fleet.children[fleet.started++];
    child->channel = -1;
    int error = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 ? 0 : errno;
    if (!error) {
        child->channel = ends[0];
        (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        error = spawn_child(child, ends[1]);
        close(ends[1]);
    }
    if (error) {
        child->pid = 0;
        close(child->channel);
        child->channel = -1;
        cli_error("cannot start a process for GPU %d: %s", child->number, strerror(error));
        fleet.code = cli_worse(fleet.code, CLI_EXIT_NOTHING);
    }
}

static bool is_usable(const child *child, const kind *kind)
{
    return child->pid && child->kind == kind && !child->is_out &&
           (child->is_busy || !child->failed);
}

static size_t count_usable(const kind *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet.count; i++) {
        count += is_usable(&fleet.children[i], kind);
    }
    return count;
}

static bool is_kernel_busy(const cli_turn *turn)
{
    bool any = false;
    for (size_t i = 0; i < fleet.count; i++) {
        const child *other = &fleet.children[i];
        any |= other->is_busy && cli_turns_are_alike(&other->turn, turn);
    }
    return any;
}

/* Returns the index of the next scenario. Prefers kernels that no GPU is tuning at the moment,
 * because a search begins with the finished results of other sizes. If few scenarios are left,
 * returns the longest scenario, so all GPUs finish at about the same time. */
static size_t find_turn(const kind *kind)
{
    size_t at = kind->next, usable = count_usable(kind);
    if (usable > 1 && kind->count - at <= 2 * usable) {
        return cli_turns_longest(kind->turns, kind->count, at);
    }
    while (at < kind->count && is_kernel_busy(&kind->turns[at])) {
        at++;
    }
    return at < kind->count ? at : kind->next;
}

static void send_order(child *child)
{
    kind *kind = child->kind;
    if (!kind || !is_usable(child, kind) || child->is_busy || kind->next == kind->count) {
        return;
    }
    size_t at = cli_warm.from ? kind->next : find_turn(kind);
    child->turn = kind->turns[at];
    memmove(&kind->turns[kind->next + 1], &kind->turns[kind->next],
            (at - kind->next) * sizeof *kind->turns);
    kind->turns[kind->next] = child->turn;
    fleet.message =
        (message){.kind = ORDER,
                  .turn = child->turn,
                  .index = fleet.started_count++,
                  .count = fleet.turn_count,
                  .limit_s = cli_warm_limit_s(kind->turns, kind->count, kind->next, fleet.start_ns,
                                              count_usable(kind) + fleet.count - fleet.started)};
    kind->next++;
    child->is_busy = true;
    child->start_ns = gt_now_ns();
    (void)send_message(child->channel, &fleet.message);
}

static bool pass_on(child *child)
{
    kind *kind = child->kind;
    if (cli_canceled || child->failure == FINAL || child->turn.tried || !count_usable(kind)) {
        return false;
    }
    child->turn.tried = child;
    fleet.started_count--;
    kind->turns[--kind->next] = child->turn;
    cli_note("%s; trying the scenario on another GPU of the same kind", child->failed);
    return true;
}

/* Ends the scenario of the child `second`. If an earlier attempt on another GPU failed with an
 * error but this attempt found a winner, the other GPU gets no more work. */
static void settle_scenario(child *second, bool has_winner)
{
    child *first = (child *)(uintptr_t)second->turn.tried;
    kind *kind = second->kind;
    second->is_busy = false;
    second->shown[0] = '\0';
    cli_turns_note(kind->turns, kind->count, kind->next, &second->turn,
                   gt_seconds_since(second->start_ns));
    if (!first) {
        return;
    }
    if (has_winner && first->failure == GPU_MAY_FAIL) {
        first->is_out = true;
        cli_error("%s gets no more work: %s failed there, but not on %s; see nvidia-smi and the "
                  "system log (dmesg)",
                  first->label, second->turn.scenario->label, second->label);
    }
    first->failed = NULL;
}

/* Handles failures after all GPUs are open, because another GPU may repeat a failed scenario. */
static void settle_failures(void)
{
    for (size_t i = 0; i < fleet.count && !is_opening(); i++) {
        child *child = &fleet.children[i];
        const char *failed = child->failed;
        if (!failed || !child->is_busy) {
            continue;
        }
        settle_scenario(child, false);
        if (fleet.refusal != CLI_CONTINUE || pass_on(child)) {
            continue;
        }
        child->failed = NULL;
        if (failed[0]) {
            cli_console_print(child->code != CLI_EXIT_OK, "%s", failed);
        }
        fleet.code = cli_worse(fleet.code, child->code);
    }
}

static void draw_progress(void)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < fleet.count; i++) {
        if (fleet.children[i].shown[0]) {
            cli_join(&text, " | ", fleet.children[i].shown);
        }
    }
    cli_progress_draw(text);
}

/* Lets a child take scenarios from its kind's queue. The first child of a kind fills the queue. */
static void admit_child(child *child, const char *environment)
{
    kind *kind = fleet.kinds;
    while (kind < fleet.kinds + fleet.kind_count && strcmp(kind->environment, environment) != 0) {
        kind++;
    }
    if (kind == fleet.kinds + fleet.kind_count) {
        fleet.kind_count++;
        *kind = (struct kind){.environment = cli_copy(environment),
                              .turns = child->listed.items,
                              .count = child->listed.count};
        fleet.turn_count += kind->count;
    }
    child->kind = kind;
}

static void handle_message(child *child, const message *from)
{
    const char *first = from->body, *second = first + strlen(first) + 1;
    cli_kernel *kernel;
    cli_scenario *scenario;
    switch (from->kind) {
    case DRAW:
        snprintf(child->shown, sizeof child->shown, "%.*s", (int)sizeof child->shown - 1, first);
        draw_progress();
        return;
    case LISTED:
        kernel = cli_allocate(1, sizeof *kernel);
        scenario = cli_allocate(1, sizeof *scenario);
        kernel->given = cli_copy(first);
        *scenario = (cli_scenario){.kernel = kernel, .label = cli_copy(second)};
        cli_add(&child->listed, from->turn)->scenario = scenario;
        return;
    case READY:
        child->label = cli_copy(second);
        admit_child(child, first);
        return;
    case ROW:
        settle_scenario(child, true);
        cli_warm_take(&fleet.table,
                      (double)(child->kind - fleet.kinds) * UINT32_MAX + (double)child->turn.place,
                      from->body);
        fleet.code = cli_worse(fleet.code, from->code);
        return;
    case FAILED:
        child->failed = cli_copy(first);
        child->failure = from->failure;
        child->code = from->code;
        return;
    case ORDER:
        return;
    }
}

/* Handles the end of a child. If it could not open its GPU, it has already printed the reason. */
static void take_end(child *child)
{
    int status = 0;
    close(child->channel);
    child->channel = -1;
    waitpid(child->pid, &status, 0);
    child->pid = 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_EXIT_NOTHING;
    if (!child->kind) {
        if (fleet.is_all && !cli_canceled) {
            cli_note("GPU %d is left out: it cannot be used", child->number);
            fleet.unopened = code;
        } else if (fleet.refusal == CLI_CONTINUE) {
            fleet.refusal = cli_canceled ? CLI_EXIT_CANCELED : code;
            cli_canceled = 1;
        }
    } else if (child->is_busy && !child->failed) {
        child->failed = cli_format(
            "%s: %s: the process on this GPU %s %d", child->turn.scenario->label, child->label,
            WIFEXITED(status) ? "has ended with exit code" : "was ended by signal",
            WIFEXITED(status) ? code : WTERMSIG(status));
        child->failure = GPU_MAY_FAIL;
        child->code = CLI_EXIT_NOTHING;
    } else if (WIFEXITED(status)) { /* a signal that ended an idle child does not matter */
        fleet.code = cli_worse(fleet.code, code);
    }
}

/* Closes all channels if no work is left. A child ends when its channel is closed. */
static void dismiss_if_done(void)
{
    bool left = is_opening();
    for (size_t i = 0; i < fleet.count; i++) {
        left |= fleet.children[i].is_busy;
    }
    for (size_t i = 0; i < fleet.started && !left; i++) {
        (void)shutdown(fleet.children[i].channel, SHUT_WR);
    }
}

static void write_page(void)
{
    cli_list labels = {NULL, 0};
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    for (size_t i = 0; i < fleet.count; i++) {
        if (fleet.children[i].is_busy) {
            cli_add(&labels, fleet.children[i].turn.scenario->label);
        }
    }
    cli_rewrite(&labels);
}

static bool listen_once(void)
{
    struct pollfd waiting[MOST];
    size_t open = 0, count = fleet.started;
    for (size_t i = 0; i < count; i++) {
        waiting[i] = (struct pollfd){fleet.children[i].channel, POLLIN, 0};
        open += waiting[i].fd >= 0;
    }
    int ready = open ? poll(waiting, (nfds_t)count, 200) : 0;
    for (size_t i = 0; i < count && ready > 0; i++) {
        child *child = &fleet.children[i];
        if (waiting[i].revents && receive_message(&fleet.message, child->channel)) {
            handle_message(child, &fleet.message);
        } else if (waiting[i].revents) {
            take_end(child);
        }
    }
    return open > 0;
}

static void run_children(void)
{
    bool is_open = true, signalled = false; /* true after SIGTERM was sent to the children */
    while (is_open || fleet.started < fleet.count) {
        start_next();
        settle_failures();
        for (size_t i = 0; i < fleet.count && !cli_canceled; i++) {
            send_order(&fleet.children[i]);
        }
        bool is_canceled = cli_canceled;
        for (size_t i = 0; i < fleet.count && is_canceled && !signalled; i++) {
            (void)(fleet.children[i].pid && kill(fleet.children[i].pid, SIGTERM));
        }
        signalled |= is_canceled;
        dismiss_if_done();
        is_open = listen_once();
        write_page();
        if (!is_open && cli_canceled) {
            return;
        }
    }
}

static int end_fleet(void)
{
    cli_console_progress_end();
    if (fleet.refusal != CLI_CONTINUE) {
        return fleet.refusal;
    }
    if (!fleet.kind_count) {
        return cli_canceled ? CLI_EXIT_CANCELED : fleet.unopened;
    }
    if (!fleet.turn_count && !cli_warm.shard.count) {
        return CLI_EXIT_NOTHING;
    }
    for (size_t i = 0; i < fleet.kind_count && !cli_canceled; i++) {
        const kind *kind = &fleet.kinds[i];
        for (size_t k = kind->next; k < kind->count; k++) {
            cli_error("%s: not tuned: no GPU is left to tune it", kind->turns[k].scenario->label);
            fleet.code = cli_worse(fleet.code, CLI_EXIT_NOTHING);
        }
    }
    return cli_warm_end(&fleet.table, fleet.code, fleet.kind_count > 1, fleet.start_ns, NULL);
}

int cli_fleet_run(void)
{
    fleet.start_ns = gt_now_ns();
    fleet.table = cli_warm_table();
    fleet.refusal = CLI_CONTINUE;
    CLI_TRY(list_gpus(cli_warm.gpus));
    int cores = memfd_create("gputune-cores", 0);
    if (cores >= 0) {
        setenv("GPUTUNE_CORES", cli_format("/proc/self/fd/%d", cores), 1);
    }
    cli_catch_interrupt();
    run_children();
    return end_fleet();
}
