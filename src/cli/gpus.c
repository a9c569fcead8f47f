/* Opens a tuner for each GPU of a run. */
#include "cli/gpus.h"

#include "cli/console.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

typedef struct numbers {
    int *items;
    size_t count;
} numbers;

static void add_number(numbers *list, int number)
{
    list->items = cli_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = number;
}

static int take_device(void *user, const gputune_device *device)
{
    add_number(user, device->ordinal);
    return 0;
}

static bool has(const numbers *list, long number)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == number) {
            return true;
        }
    }
    return false;
}

/* "0,2", each once. */
static int read_numbers(numbers *out, const char *which)
{
    for (const char *at = which;; at++) {
        char *end;
        long number = strtol(at, &end, 10);
        bool is_number = end != at && (*end == ',' || !*end) && number >= 0 && number <= INT_MAX;
        if (!is_number || has(out, number)) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                which);
        }
        add_number(out, (int)number);
        if (!*end) {
            return CLI_CONTINUE;
        }
        at = end;
    }
}

/* Without a GPU, where none was asked for, they are the emulator's. */
static int list_gpus(numbers *out, const cli_common *common)
{
    int status = gputune_devices(common->driver, take_device, out);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for(common)) {
        status = gputune_devices("emu", take_device, out);
    }
    return status < 0 ? cli_fail(status) : CLI_CONTINUE;
}

/* ---- compiling elsewhere --------------------------------------------------------------------- */

int cli_compile_on_read(cli_list *commands, const cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        char *end;
        const char *text = texts->items[i];
        long count = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 1;
        bool is_counted = text[0] >= '0' && text[0] <= '9' && *end == ':';
        const char *command = is_counted ? end + 1 : text;
        if (count < 1 || count > 256 || !command[strspn(command, " ")]) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--compile-on: found '%s'; expected COMMAND or N:COMMAND, with N from 1 to "
                "256, as in '8:ssh HOST'",
                text);
        }
        for (long k = 0; k < (is_counted ? count : 1); k++) {
            commands->items = cli_grow(commands->items, commands->count, sizeof(char *));
            commands->items[commands->count++] = command;
        }
    }
    return CLI_CONTINUE;
}

/* Every `count`-th command, from `first` on. */
static cli_list share_of_commands(const cli_list *all, size_t first, size_t count)
{
    cli_list share = {NULL, 0};
    for (size_t i = first; i < all->count; i += count) {
        share.items = cli_grow(share.items, share.count, sizeof(char *));
        share.items[share.count++] = all->items[i];
    }
    return share;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A GPU that a thread of its own opens, since what takes long is waiting for the driver. */
typedef struct opening {
    cli_common common;
    const char *number;
    cli_session session;
    int code;
    pthread_t thread;
    bool runs;
} opening;

static void *open_one(void *user)
{
    opening *at = user;
    at->code = cli_open_gpu(&at->session, &at->common, at->number, true);
    return NULL;
}

static void *close_one(void *user)
{
    cli_close(&((cli_gpu *)user)->session);
    return NULL;
}

/* Runs `call` in a thread, or here where none can be had. */
static bool start(pthread_t *thread, void *(*call)(void *), void *user)
{
    bool runs = pthread_create(thread, NULL, call, user) == 0;
    if (!runs) {
        call(user);
    }
    return runs;
}

/* What was opened, in the order of the numbers. */
static int take_opened(cli_gpus *out, const opening *each, size_t count, bool is_all)
{
    int code = CLI_CONTINUE;
    for (size_t i = 0; i < count; i++) {
        const opening *at = &each[i];
        if (at->code == CLI_CONTINUE) {
            const char *label = cli_format("GPU %s (%s)", at->number, at->session.device.name);
            out->items[out->count++] = (cli_gpu){.session = at->session, .label = label};
            continue;
        }
        code = at->code;
        if (is_all) {
            cli_note("GPU %s is left out: it cannot be used", at->number);
        }
    }
    if (out->count && (is_all || code == CLI_CONTINUE)) {
        return CLI_CONTINUE;
    }
    cli_gpus_close(out);
    return code;
}

static int open_each(cli_gpus *out, const cli_common *common, const numbers *list, bool is_all)
{
    opening *each = cli_allocate(list->count, sizeof *each);
    for (size_t i = 0; i < list->count; i++) {
        opening *at = &each[i];
        at->common = *common;
        at->common.compile_on = share_of_commands(&common->compile_on, i, list->count);
        at->number = cli_format("%d", list->items[i]);
    }
    for (size_t i = 0; i < list->count; i++) {
        each[i].runs = start(&each[i].thread, open_one, &each[i]);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (each[i].runs) {
            pthread_join(each[i].thread, NULL);
        }
    }
    out->items = cli_allocate(list->count, sizeof *out->items);
    return take_opened(out, each, list->count, is_all);
}

int cli_gpus_open(cli_gpus *out, const cli_common *common, cli_open_mode mode, const char *which)
{
    numbers list = {NULL, 0};
    *out = (cli_gpus){NULL, 0};
    if (!which) {
        out->items = cli_allocate(1, sizeof *out->items);
        out->count = 1;
        return cli_open(&out->items[0].session, common, mode);
    }
    cli_console_setup(common->quiet, common->verbose);
    bool is_all = strcmp(which, "all") == 0;
    CLI_TRY(is_all ? list_gpus(&list, common) : read_numbers(&list, which));
    CLI_TRY(open_each(out, common, &list, is_all));
    cli_say_emulated(&out->items[0].session, common);
    return CLI_CONTINUE;
}

void cli_gpus_close(cli_gpus *gpus)
{
    pthread_t *threads = cli_allocate(gpus->count + 1, sizeof *threads);
    bool *runs = cli_allocate(gpus->count + 1, sizeof *runs);
    for (size_t i = 0; i < gpus->count; i++) {
        runs[i] = start(&threads[i], close_one, &gpus->items[i]);
    }
    for (size_t i = 0; i < gpus->count; i++) {
        if (runs[i]) {
            pthread_join(threads[i], NULL);
        }
    }
    gpus->count = 0;
}

bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b)
{
    return strcmp(a->session.device.environment, b->session.device.environment) == 0;
}

/* Two GPUs of a kind at the same clock differ by less than 1%; a winner is often ahead by less than
 * 5%. */
#define EQUAL 1.05

/* The next one of its kind that takes part and whose pace is known, from `at` on; NULL: none. */
static const cli_gpu *next_equal(const cli_gpus *gpus, size_t at, const cli_gpu *gpu)
{
    for (; at < gpus->count; at++) {
        const cli_gpu *other = &gpus->items[at];
        if (!other->is_out && other->pace.launch_ns > 0 && cli_gpus_are_equal(other, gpu)) {
            return other;
        }
    }
    return NULL;
}

static const cli_gpu *fastest_equal(const cli_gpus *gpus, const cli_gpu *gpu)
{
    const cli_gpu *fastest = gpu, *other = next_equal(gpus, 0, gpu);
    for (; other; other = next_equal(gpus, (size_t)(other - gpus->items) + 1, gpu)) {
        fastest = other->pace.launch_ns < fastest->pace.launch_ns ? other : fastest;
    }
    return fastest;
}

char *cli_gpus_slower(const cli_gpus *gpus, const cli_gpu *gpu)
{
    const cli_gpu *fastest = fastest_equal(gpus, gpu);
    const gputune_pace *pace = &gpu->pace;
    if (pace->launch_ns <= EQUAL * fastest->pace.launch_ns) {
        return NULL;
    }
    return cli_format(
        "the same launch takes %.2f times as long there as on %s%s%s%s; see nvidia-smi",
        pace->launch_ns / fastest->pace.launch_ns, fastest->label,
        pace->throttled ? ", its clocks are held back by heat, power or the hardware" : "",
        pace->shared ? ", it is used by " : "", pace->other);
}

bool cli_gpus_has_equal(const cli_gpus *gpus, const cli_gpu *gpu)
{
    size_t count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        count += cli_gpus_are_equal(&gpus->items[i], gpu);
    }
    return count > 1;
}

bool cli_gpus_say_equal(const cli_gpus *gpus, const cli_gpu *like)
{
    const cli_gpu *first = next_equal(gpus, 0, like);
    double least = INFINITY, most = 0;
    size_t count = 0;
    for (const cli_gpu *other = first; other;
         other = next_equal(gpus, (size_t)(other - gpus->items) + 1, first)) {
        least = other->pace.launch_ns < least ? other->pace.launch_ns : least;
        most = other->pace.launch_ns > most ? other->pace.launch_ns : most;
        count++;
    }
    bool equal = count > 1 && most <= EQUAL * least;
    if (equal) {
        cli_note("%zu GPUs like %s are equal: the same launch takes %.1f us, and %.1f%% longer on "
                 "the slowest",
                 count, first->label, least * 1e-3, 100 * (most / least - 1));
    }
    return equal;
}
