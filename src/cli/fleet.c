/* Several GPUs, each with a process of its own (fleet.h).
 *
 * Parent and child talk over a socket that keeps messages apart. A child lists its turns and says
 * READY; then each ORDER is answered by a ROW or by FAILED. GPUs whose results answer the same
 * requests are of one kind, and take turns from one queue. The child's process opens the driver,
 * so that a GPU that is lost, or whose driver hangs, costs its own turn only; an equal GPU tries
 * that turn again. The children share the cores for compiling by the file of GPUTUNE_CORES. */
#include "cli/fleet.h"

#include "cli/rewrite.h"
#include "cli/turns.h"

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

typedef enum message_kind {
    SAY,    /* a line for the terminal: prefix, text, colour; `code`: it has a colour */
    DRAW,   /* how far the turn is; "": nothing is shown */
    LISTED, /* a turn: place, cost, flags, kernel, label */
    READY,  /* the GPU is open, and its turns are listed: environment, label */
    ROW,    /* the turn has a winner: place, code and a row of the table */
    FAILED, /* the turn has none: place, code, flags, why, and the whole message */
    ORDER   /* to the child: place, limit_s, flags, and which turn of how many it is */
} message_kind;

enum { KNOWN = 1, BEGUN = 2, FORCE = 4, GPU_FAULT = 8 };

typedef struct message {
    message_kind kind;
    int code;
    unsigned flags;
    uint64_t place, index, count;
    double value; /* a turn's cost, or its limit in seconds */
    size_t bytes; /* of the body */
    char body[65000];
} message;

/* False: the other end is gone. */
static bool send_message(int channel, message *out)
{
    size_t bytes = offsetof(message, body) + out->bytes;
    ssize_t sent;
    do {
        sent = send(channel, out, bytes, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)bytes;
}

static bool receive(message *out, int channel)
{
    ssize_t got = recv(channel, out, sizeof *out - 1, 0);
    if (got < (ssize_t)offsetof(message, body)) {
        return false;
    }
    out->body[out->bytes] = '\0';
    return true;
}

/* Appends a text to the body, cut where it is too long. */
static void put(message *out, const char *text)
{
    size_t room = sizeof out->body - 1 - out->bytes, length = strlen(text);
    length = length < room ? length : room - 1;
    memcpy(out->body + out->bytes, text, length);
    out->bytes += length;
    out->body[out->bytes++] = '\0';
}

/* The next text of the body; "" behind the last. */
static const char *take(const message *from, size_t *at)
{
    const char *text = *at < from->bytes ? from->body + *at : "";
    *at += strlen(text) + 1;
    return text;
}

/* ---- the child ------------------------------------------------------------------------------- */

static const char variable[] = "GPUTUNE_FLEET"; /* "INDEX GPU CHANNEL PARENT" */

static struct {
    bool is_child;
    int index, channel;
    char number[16];
    const char *label;
    message message; /* large */
} own;

static void tell(message_kind kind, const char *prefix, const char *text, const char *color)
{
    message *out = &own.message;
    out->kind = kind;
    out->bytes = 0;
    out->code = color != NULL;
    put(out, prefix);
    put(out, text);
    put(out, color ? color : "");
    if (!send_message(own.channel, out)) {
        cli_set_canceled(true);
    }
}

static void tell_line(const char *prefix, const char *text, const char *color)
{
    tell(SAY, prefix, text, color);
}

static void tell_progress(const char *text)
{
    tell(DRAW, text, "", NULL);
}

static int next_number(const char **text)
{
    *text += strspn(*text, " ");
    return (int)cli_take_number(text, INT_MAX);
}

bool cli_fleet_join(void)
{
    const char *text = getenv(variable);
    if (!own.is_child && text) {
        own.is_child = true;
        own.index = next_number(&text);
        int number = next_number(&text);
        own.channel = next_number(&text);
        int parent = next_number(&text);
        unsetenv(variable); /* not for the workers */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        snprintf(own.number, sizeof own.number, "%d", number);
        cli_given.own_gpu = own.number;
        cli_warm.report = NULL; /* the parent writes it */
        cli_console_send(tell_line, tell_progress);
        if (getppid() != parent) {
            _exit(CLI_EXIT_CANCELED);
        }
    }
    return own.is_child;
}

bool cli_fleet_is_silent(void)
{
    return own.is_child && own.index > 0;
}

static void list_turns(const cli_session *session, const cli_scenarios *scenarios)
{
    message *out = &own.message;
    const cli_turn *turns = cli_warm_turns(session, scenarios);
    for (size_t i = 0; i < scenarios->count; i++) {
        *out = (message){.kind = LISTED,
                         .place = turns[i].place,
                         .value = turns[i].cost,
                         .flags = (turns[i].known ? KNOWN : 0U) | (turns[i].begun ? BEGUN : 0U)};
        put(out, turns[i].scenario->kernel->name);
        put(out, turns[i].scenario->label);
        (void)send_message(own.channel, out);
    }
    *out = (message){.kind = READY};
    put(out, session->device.environment);
    put(out, own.label);
    (void)send_message(own.channel, out);
}

/* Tells what came of a turn. */
static void answer(uint64_t place, const cli_tuned *tuned, const cli_session *session,
                   const cli_scenario *scenario)
{
    message *out = &own.message;
    char *failure = NULL;
    int code;
    if (tuned->has_winner) {
        cli_table row = cli_warm_table();
        code = cli_warm_add(&row, 0, &tuned->info, session, scenario);
        *out = (message){.kind = ROW, .place = place, .code = code};
        out->bytes = cli_table_pack(&row, out->body, sizeof out->body - 1);
    } else {
        code = cli_warm_failure(&failure, tuned, scenario->label, own.label);
        *out = (message){.kind = FAILED,
                         .place = place,
                         .code = code,
                         .flags = code && cli_warm_may_be_gpu(tuned->status) ? GPU_FAULT : 0};
        put(out, tuned->why);
        put(out, failure ? failure : "");
        out->index = tuned->status < 0;
    }
    (void)send_message(own.channel, out);
}

int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios)
{
    bool stored = true;
    own.label = cli_format("GPU %s (%s)", own.number, session->device.name);
    cli_progress progress = {.gpu = own.label};
    list_turns(session, scenarios);
    for (message *order = cli_allocate(1, sizeof *order); receive(order, own.channel);) {
        void *mark = cli_mark();
        const cli_scenario *scenario = &scenarios->items[order->place];
        cli_tuned tuned;
        progress.count = order->count;
        cli_progress_start(&progress, scenario->label, order->index);
        cli_warm_try(&tuned, session, scenario, order->value, order->flags & FORCE, &progress);
        cli_progress_end(&progress);
        stored &= tuned.status < 0 || tuned.info.source == GPUTUNE_SOURCE_CACHED;
        answer(order->place, &tuned, session, scenario);
        gputune_plan_release(tuned.plan);
        cli_release(mark);
    }
    return stored ? CLI_EXIT_OK : cli_check_database(session, CLI_EXIT_OK);
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* The GPUs of one kind, and the turns that are left for them: from `next` on. */
typedef struct kind {
    const char *environment;
    cli_turn *turns;
    size_t count, next;
} kind;

typedef struct child {
    int number;  /* of its GPU */
    pid_t pid;   /* 0: it was not started, or has ended */
    int channel; /* to it */
    const char *label;
    CLI_LIST(cli_turn) listed; /* until it is READY */
    kind *kind;                /* NULL: it is not ready, or cannot be used */
    bool is_busy, is_out;
    bool is_in_doubt; /* it failed, and waits until an equal GPU has tried the same */
    cli_turn turn;
    int64_t begun_ns;
    message *failure; /* of its turn, which waits until all GPUs are open; NULL: none */
    char shown[160];  /* how far its turn is */
} child;

enum { MOST = 64 };

static struct {
    child children[MOST];
    size_t count, started;
    bool is_all;
    kind kinds[MOST];
    size_t kind_count, turn_count, begun;
    int64_t begun_ns;
    cli_table table;
    int code;
    int refusal;   /* exit code, if a GPU that was named cannot be used; else CLI_CONTINUE */
    int unopened;  /* exit code of a GPU that could not be opened */
    bool was_told; /* the children know that work is canceled */
    int cores;     /* the file by which the children share the cores; -1: none */
    message message;
} fleet;

/* --- which GPUs --- */

static bool has(long number)
{
    for (size_t i = 0; i < fleet.count; i++) {
        if (fleet.children[i].number == number) {
            return true;
        }
    }
    return false;
}

static void add(long number)
{
    fleet.children[fleet.count++] = (child){.number = (int)number, .channel = -1};
}

/* "0,2", each once. */
static int read_numbers(const char *which)
{
    for (const char *at = which;; at++) {
        long number = cli_take_number(&at, INT_MAX);
        bool is_number = number >= 0 && (*at == ',' || !*at);
        CLI_REFUSE(!is_number || has(number) || fleet.count == MOST, CLI_EXIT_USAGE,
                   "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                   which);
        add(number);
        if (!*at) {
            return CLI_CONTINUE;
        }
    }
}

/* Without a GPU, where none was asked for, they are the emulator's. */
static int list_gpus(const char *which)
{
    int count = 0;
    fleet.is_all = strcmp(which, "all") == 0;
    if (!fleet.is_all) {
        return read_numbers(which);
    }
    int status = gputune_device_count(&count, cli_given.driver);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for()) {
        status = gputune_device_count(&count, "emu");
    }
    for (int i = 0; i < count && i < MOST; i++) {
        add(i);
    }
    return cli_passed(status);
}

/* --- starting --- */

static int spawn(child *child, int channel)
{
    posix_spawnattr_t attributes;
    char order[96];
    snprintf(order, sizeof order, "%zu %d %d %ld", (size_t)(child - fleet.children), child->number,
             channel, (long)getpid());
    setenv(variable, order, 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* Ctrl-C is passed on to it */
    int error =
        posix_spawn(&child->pid, "/proc/self/exe", NULL, &attributes, cli_given.words, environ);
    posix_spawnattr_destroy(&attributes);
    unsetenv(variable);
    return error;
}

/* Starts the next child, which inherits its end of the channel. */
static void start(void)
{
    child *child = &fleet.children[fleet.started++];
    int ends[2] = {-1, -1};
    int error = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 ? 0 : errno;
    if (!error) {
        child->channel = ends[0];
        (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        error = spawn(child, ends[1]);
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

/* Returns true if a GPU is being opened, or is still to be. Drivers that start at the same time
 * delay each other: they are started one after another. */
static bool is_opening(void)
{
    const child *last = fleet.started ? &fleet.children[fleet.started - 1] : NULL;
    return (last && last->pid && !last->kind) ||
           (fleet.started < fleet.count && !cli_is_canceled());
}

static void start_next(void)
{
    const child *last = fleet.started ? &fleet.children[fleet.started - 1] : NULL;
    bool may = !last || !last->pid || last->kind;
    if (may && fleet.started < fleet.count && !cli_is_canceled()) {
        start();
    }
}

/* --- the next turn --- */

static bool is_usable(const child *child, const kind *kind)
{
    return child->pid && child->kind == kind && !child->is_out && !child->is_in_doubt;
}

static size_t count_usable(const kind *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet.count; i++) {
        count += is_usable(&fleet.children[i], kind);
    }
    return count;
}

/* The limit of one turn: --time-limit, and its share of what is left of --total-limit. */
static double limit_of(const kind *kind)
{
    return cli_warm_limit_s(kind->turns, kind->count, kind->next, fleet.begun_ns,
                            count_usable(kind) + fleet.count - fleet.started);
}

static bool is_kernel_in_hand(const cli_turn *turn)
{
    for (size_t i = 0; i < fleet.count; i++) {
        const child *other = &fleet.children[i];
        if (other->is_busy && cli_turns_are_alike(&other->turn, turn)) {
            return true;
        }
    }
    return false;
}

/* The index of the turn to take next: the first turn of a kernel that no GPU is tuning, if there is
 * one, because a search begins with what was found at the kernel's other sizes, and has its code.
 * Of the last turns it is the longest, so that the GPUs end together. */
static size_t find_turn(const kind *kind)
{
    size_t at = kind->next, usable = count_usable(kind);
    if (usable > 1 && kind->count - at <= 2 * usable) {
        return cli_turns_longest(kind->turns, kind->count, at);
    }
    while (at < kind->count && is_kernel_in_hand(&kind->turns[at])) {
        at++;
    }
    return at < kind->count ? at : kind->next;
}

static void order(child *child)
{
    kind *kind = child->kind;
    size_t at = cli_warm.from ? kind->next : find_turn(kind);
    child->turn = kind->turns[at];
    memmove(&kind->turns[kind->next + 1], &kind->turns[kind->next],
            (at - kind->next) * sizeof *kind->turns);
    kind->turns[kind->next] = child->turn;
    fleet.message = (message){.kind = ORDER,
                              .place = child->turn.place,
                              .index = fleet.begun++,
                              .count = fleet.turn_count,
                              .value = limit_of(kind),
                              .flags = child->turn.tried ? FORCE : 0};
    kind->next++;
    child->is_busy = true;
    child->begun_ns = gt_now_ns();
    (void)send_message(child->channel, &fleet.message); /* its end is heard of */
}

static void give_orders(void)
{
    for (size_t i = 0; i < fleet.count && !cli_is_canceled(); i++) {
        child *child = &fleet.children[i];
        if (child->kind && is_usable(child, child->kind) && !child->is_busy &&
            child->kind->next < child->kind->count) {
            order(child);
        }
    }
}

/* --- what became of it --- */

/* Leaves the turn of a child to an equal GPU, and waits for its result there. False: there is no
 * equal GPU, or it has tried the turn already. */
static bool pass_on(child *child, const message *failure)
{
    kind *kind = child->kind;
    size_t at = 0;
    if (cli_is_canceled() || !(failure->flags & GPU_FAULT) || child->turn.tried ||
        count_usable(kind) < (child->pid ? 2 : 1)) {
        return false;
    }
    child->is_in_doubt = true;
    child->turn.tried = child;
    fleet.begun--;
    kind->turns[--kind->next] = child->turn;
    cli_note("%s: %s: %s; an equal GPU tries it", child->label, child->turn.scenario->label,
             take(failure, &at));
    return true;
}

/* Judges by an equal GPU's second try whether the first try failed because of its GPU. A second try
 * that was answered without measuring may only have lacked time, and proves nothing. */
static void judge_first_try(const child *second, bool has_winner)
{
    child *first = (child *)(uintptr_t)second->turn.tried;
    if (!first) {
        return;
    }
    first->is_in_doubt = false;
    if (has_winner && first->failure && first->failure->index) {
        first->is_out = true;
        cli_error("%s gets no more work: %s failed there, and not on %s; see nvidia-smi and the "
                  "kernel's log",
                  first->label, second->turn.scenario->label, second->label);
    }
    first->failure = NULL;
}

static void settle(child *child)
{
    child->is_busy = false;
    child->shown[0] = '\0';
    cli_turns_note(child->kind->turns, child->kind->count, child->kind->next, &child->turn,
                   gt_seconds_since(child->begun_ns));
}

static void take_row(child *child, const message *from)
{
    double place = (double)(child->kind - fleet.kinds) * UINT32_MAX + (double)from->place;
    settle(child);
    judge_first_try(child, true);
    cli_warm_take(&fleet.table, place, from->body, from->bytes);
    fleet.code = cli_worse(fleet.code, from->code);
}

/* A failure waits for the GPUs that may be asked to try the same. */
static void settle_failure(child *child)
{
    size_t at = 0;
    const message *failure = child->failure;
    settle(child);
    judge_first_try(child, false);
    if (fleet.refusal != CLI_CONTINUE || pass_on(child, failure)) {
        return; /* why it was stopped has been said */
    }
    take(failure, &at);
    const char *text = take(failure, &at);
    child->failure = NULL;
    if (text[0]) {
        cli_console_say(failure->code != CLI_EXIT_OK, "%s", text);
    }
    fleet.code = cli_worse(fleet.code, failure->code);
}

static void settle_failures(void)
{
    for (size_t i = 0; i < fleet.count && !is_opening(); i++) {
        child *child = &fleet.children[i];
        if (child->failure && child->is_busy) {
            settle_failure(child);
        }
    }
}

/* --- what they say --- */

/* One line for all GPUs: "GPU 0 (...): axpy ... | GPU 1 (...): ..."; "": nothing is at work. */
static void draw(void)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < fleet.count; i++) {
        const char *shown = fleet.children[i].shown;
        if (shown[0]) {
            cli_append(&text, "%s%s", text[0] ? " | " : "", shown);
        }
    }
    cli_progress_draw(text);
}

/* A turn as a child lists it. */
static void take_listed(child *child, const message *from)
{
    size_t at = 0;
    cli_kernel *kernel = cli_allocate(1, sizeof *kernel);
    cli_scenario *scenario = cli_allocate(1, sizeof *scenario);
    kernel->name = cli_copy(take(from, &at));
    *scenario = (cli_scenario){.kernel = kernel, .label = cli_copy(take(from, &at))};
    cli_add(&child->listed, (cli_turn){.scenario = scenario,
                                       .place = from->place,
                                       .cost = from->value,
                                       .known = from->flags & KNOWN,
                                       .begun = from->flags & BEGUN});
}

/* Lets a GPU that is open take turns: those of its kind, or its own where it is the first of one.
 */
static void admit(child *child, const message *from)
{
    size_t at = 0;
    const char *environment = take(from, &at);
    kind *kind = fleet.kinds;
    child->label = cli_copy(take(from, &at));
    while (kind < fleet.kinds + fleet.kind_count && strcmp(kind->environment, environment) != 0) {
        kind++;
    }
    if (kind == fleet.kinds + fleet.kind_count) {
        fleet.kind_count++;
        *kind = (struct kind){.environment = cli_copy(environment),
                              .turns = child->listed.items,
                              .count = child->listed.count};
        cli_turns_weigh(kind->turns, kind->count);
        fleet.turn_count += kind->count;
    }
    child->kind = kind;
}

static message *copy(const message *from)
{
    size_t bytes = offsetof(message, body) + from->bytes + 1;
    return memcpy(cli_allocate(1, sizeof *from), from, bytes);
}

static void handle(child *child, const message *from)
{
    size_t at = 0;
    const char *first = take(from, &at), *second = take(from, &at), *third = take(from, &at);
    switch (from->kind) {
    case SAY:
        cli_console_line(first, second, from->code ? third : NULL);
        return;
    case DRAW:
        snprintf(child->shown, sizeof child->shown, "%s", first);
        draw();
        return;
    case LISTED:
        take_listed(child, from);
        return;
    case READY:
        admit(child, from);
        return;
    case ROW:
        take_row(child, from);
        return;
    case FAILED:
        child->failure = copy(from);
        return;
    case ORDER:
        return;
    }
}

/* A child has ended. One that was never ready could not open its GPU, and has said why. */
static void take_end(child *child)
{
    int status = 0;
    close(child->channel);
    child->channel = -1;
    waitpid(child->pid, &status, 0);
    child->pid = 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_EXIT_NOTHING;
    if (!child->kind) {
        if (fleet.is_all && !cli_is_canceled()) {
            cli_note("GPU %d is left out: it cannot be used", child->number);
            fleet.unopened = code;
        } else if (fleet.refusal == CLI_CONTINUE) {
            fleet.refusal = code;
            cli_set_canceled(true);
        }
    } else if (child->is_busy && !child->failure) { /* a signal has ended it in its turn */
        message *failure = cli_allocate(1, sizeof *failure);
        failure->flags = GPU_FAULT;
        failure->index = true;
        failure->code = CLI_EXIT_NOTHING;
        put(failure, "its process has ended");
        put(failure, cli_format("%s: %s: its process has ended by signal %d",
                                child->turn.scenario->label, child->label, WTERMSIG(status)));
        child->failure = failure;
    } else {
        fleet.code = cli_worse(fleet.code, code);
    }
}

/* --- all of them --- */

/* Returns true if there is, or may come, something to do. */
static bool is_work_left(void)
{
    bool left = is_opening();
    for (size_t i = 0; i < fleet.count; i++) {
        left |= fleet.children[i].is_busy;
    }
    return left;
}

/* Ends the children: each hears the end of its channel. */
static void dismiss(void)
{
    for (size_t i = 0; i < fleet.count; i++) {
        if (fleet.children[i].channel >= 0) {
            shutdown(fleet.children[i].channel, SHUT_WR);
        }
    }
}

static void pass_on_cancel(void)
{
    for (size_t i = 0; i < fleet.count && !fleet.was_told; i++) {
        if (fleet.children[i].pid) {
            kill(fleet.children[i].pid, SIGTERM);
        }
    }
    fleet.was_told = true;
}

static void write_page(void)
{
    cli_list labels = {NULL, 0};
    void *mark = cli_mark();
    for (size_t i = 0; i < fleet.count; i++) {
        if (fleet.children[i].is_busy) {
            cli_add(&labels, fleet.children[i].turn.scenario->label);
        }
    }
    cli_rewrite(cli_warm.report, &labels);
    cli_release(mark);
}

/* Waits for messages, and handles them. False: no child is left. */
static bool listen_once(void)
{
    struct pollfd waiting[MOST];
    size_t open = 0;
    for (size_t i = 0; i < fleet.count; i++) {
        waiting[i] = (struct pollfd){fleet.children[i].channel, POLLIN, 0};
        open += waiting[i].fd >= 0;
    }
    int ready = open ? poll(waiting, (nfds_t)fleet.count, 200) : 0;
    for (size_t i = 0; i < fleet.count && ready > 0; i++) {
        child *child = &fleet.children[i];
        if (waiting[i].revents && receive(&fleet.message, child->channel)) {
            handle(child, &fleet.message);
        } else if (waiting[i].revents) {
            take_end(child);
        }
    }
    return open > 0;
}

static void run(void)
{
    bool is_open = true, is_dismissed = false;
    while (is_open || fleet.started < fleet.count) {
        start_next();
        settle_failures();
        give_orders();
        if (cli_is_canceled()) {
            pass_on_cancel();
        }
        if (!is_dismissed && !is_work_left()) {
            dismiss();
            is_dismissed = true;
        }
        is_open = listen_once();
        write_page();
        if (!is_open && cli_is_canceled()) {
            return;
        }
    }
}

/* Says which turns no GPU could take. */
static void say_left(void)
{
    for (size_t i = 0; i < fleet.kind_count && !cli_is_canceled(); i++) {
        const kind *kind = &fleet.kinds[i];
        for (size_t k = kind->next; k < kind->count; k++) {
            cli_error("%s: not tuned: no GPU is left that could", kind->turns[k].scenario->label);
            fleet.code = cli_worse(fleet.code, CLI_EXIT_NOTHING);
        }
    }
}

static int end(void)
{
    cli_console_progress_end();
    if (fleet.refusal != CLI_CONTINUE) {
        return fleet.refusal;
    }
    if (!fleet.kind_count) {
        return cli_is_canceled() ? CLI_EXIT_CANCELED : fleet.unopened;
    }
    if (!fleet.turn_count && !cli_warm.shard.count) {
        return CLI_EXIT_NOTHING;
    }
    say_left();
    cli_warm_print(&fleet.table, fleet.kind_count > 1, gt_seconds_since(fleet.begun_ns));
    if (cli_is_canceled()) {
        cli_note("stopped; what is finished is stored, running again goes on from there");
    }
    return cli_is_canceled() ? CLI_EXIT_CANCELED : fleet.code;
}

/* A file without a name, by which the tuners of the children share the cores. */
static void share_cores(void)
{
    fleet.cores = memfd_create("gputune-cores", 0);
    if (fleet.cores >= 0) {
        setenv("GPUTUNE_CORES", cli_format("/proc/self/fd/%d", fleet.cores), 1);
    }
}

int cli_fleet_run(void)
{
    fleet.begun_ns = gt_now_ns();
    fleet.table = cli_warm_table();
    fleet.refusal = CLI_CONTINUE;
    CLI_TRY(list_gpus(cli_warm.gpus));
    share_cores();
    cli_catch_interrupt();
    run();
    return end();
}
