/* Opens a tuner for each GPU of a run. */
#include "cli/gpus.h"

#include "cli/console.h"

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

/* "0,2", each of them there, and once. */
static int read_numbers(numbers *out, const char *which, const numbers *all)
{
    for (const char *at = which;; at++) {
        char *end;
        long number = strtol(at, &end, 10);
        bool is_number = end != at && (*end == ',' || !*end);
        if (!is_number || has(out, number)) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                which);
        }
        if (!has(all, number)) {
            return cli_stop(
                CLI_EXIT_PLATFORM,
                "--gpus: there is no GPU %ld; 'gputune devices' lists the %zu there are", number,
                all->count);
        }
        add_number(out, (int)number);
        if (!*end) {
            return CLI_CONTINUE;
        }
        at = end;
    }
}

/* Without a GPU, where none was asked for, *common names the emulator. */
static int list_gpus(numbers *out, cli_common *common)
{
    int status = gputune_devices(common->driver, take_device, out);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for(common)) {
        common->driver = "emu";
        status = gputune_devices(common->driver, take_device, out);
        cli_note("no GPU here: using the emulator, whose times are modelled; --driver cuda "
                 "requires a GPU");
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

static int open_gpu(cli_gpus *out, cli_common *common, cli_open_mode mode, int number)
{
    cli_gpu gpu = {.label = NULL};
    common->device = cli_format("%d", number);
    CLI_TRY(cli_open(&gpu.session, common, mode));
    gpu.label = cli_format("GPU %d (%s)", number, gpu.session.device.name);
    out->items = cli_grow(out->items, out->count, sizeof *out->items);
    out->items[out->count++] = gpu;
    return CLI_CONTINUE;
}

static int open_each(cli_gpus *out, cli_common *common, cli_open_mode mode, const numbers *list,
                     bool is_all)
{
    int code = CLI_CONTINUE;
    const cli_list commands = common->compile_on;
    for (size_t i = 0; i < list->count; i++) {
        common->compile_on = share_of_commands(&commands, i, list->count);
        code = open_gpu(out, common, mode, list->items[i]);
        if (code != CLI_CONTINUE && !is_all) {
            cli_gpus_close(out);
            return code;
        }
        if (code != CLI_CONTINUE) {
            cli_note("GPU %d is left out: it cannot be used", list->items[i]);
        }
    }
    return out->count ? CLI_CONTINUE : code;
}

int cli_gpus_open(cli_gpus *out, const cli_common *common, cli_open_mode mode, const char *which)
{
    numbers all = {NULL, 0}, some = {NULL, 0};
    cli_common own = *common;
    *out = (cli_gpus){NULL, 0};
    if (!which) {
        out->items = cli_allocate(1, sizeof *out->items);
        out->count = 1;
        return cli_open(&out->items[0].session, common, mode);
    }
    cli_console_setup(common->quiet, common->verbose);
    bool is_all = strcmp(which, "all") == 0;
    int code = list_gpus(&all, &own);
    if (code == CLI_CONTINUE && !is_all) {
        code = read_numbers(&some, which, &all);
    }
    return code == CLI_CONTINUE ? open_each(out, &own, mode, is_all ? &all : &some, is_all) : code;
}

void cli_gpus_close(cli_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        cli_close(&gpus->items[i].session);
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

gputune_pace cli_gpu_pace(const cli_gpu *gpu)
{
    gputune_pace pace = GPUTUNE_PACE_INIT;
    if (gputune_measure_pace(&pace, gpu->session.tuner) < 0) {
        pace.launch_ns = 0; /* the tuning says what is wrong with it */
    }
    return pace;
}

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

static char *find_slower(const cli_gpus *gpus, const cli_gpu *gpu)
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

/* A moment at a lower clock is no lower clock. */
char *cli_gpus_slower(const cli_gpus *gpus, cli_gpu *gpu)
{
    enum { TIMES = 3 };
    char *slower = find_slower(gpus, gpu);
    for (int i = 1; i < TIMES && slower; i++) {
        gpu->pace = cli_gpu_pace(gpu);
        slower = find_slower(gpus, gpu);
    }
    return slower;
}

/* ---- the first time -------------------------------------------------------------------------- */

static void *measure(void *user)
{
    cli_gpu *gpu = user;
    gpu->pace = cli_gpu_pace(gpu);
    return NULL;
}

static bool has_equal(const cli_gpus *gpus, const cli_gpu *gpu)
{
    size_t count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        count += cli_gpus_are_equal(&gpus->items[i], gpu);
    }
    return count > 1;
}

/* Side by side. */
static void measure_all(const cli_gpus *gpus)
{
    pthread_t *threads = cli_allocate(gpus->count, sizeof *threads);
    bool *runs = cli_allocate(gpus->count, sizeof *runs);
    for (size_t i = 0; i < gpus->count; i++) {
        cli_gpu *gpu = &gpus->items[i];
        runs[i] = has_equal(gpus, gpu) && !pthread_create(&threads[i], NULL, measure, gpu);
    }
    for (size_t i = 0; i < gpus->count; i++) {
        if (runs[i]) {
            pthread_join(threads[i], NULL);
        }
    }
}

/* Says how far the GPUs of a kind are apart, of which this is the first. */
static void say(const cli_gpus *gpus, const cli_gpu *first)
{
    double least = first->pace.launch_ns, most = least;
    size_t count = 0;
    for (const cli_gpu *other = first; other;
         other = next_equal(gpus, (size_t)(other - gpus->items) + 1, first)) {
        least = other->pace.launch_ns < least ? other->pace.launch_ns : least;
        most = other->pace.launch_ns > most ? other->pace.launch_ns : most;
        count++;
    }
    if (count > 1) {
        cli_note("%zu GPUs like %s are equal: the same launch takes %.1f us, and %.1f%% longer on "
                 "the slowest",
                 count, first->label, least * 1e-3, 100 * (most / least - 1));
    }
}

void cli_gpus_compare(const cli_gpus *gpus)
{
    measure_all(gpus);
    for (size_t i = 0; i < gpus->count; i++) {
        cli_gpu *gpu = &gpus->items[i];
        const char *slower = cli_gpus_slower(gpus, gpu);
        gpu->is_out = slower != NULL;
        if (slower) {
            cli_error("%s gets no work: %s", gpu->label, slower);
        }
    }
    for (size_t i = 0; i < gpus->count; i++) {
        if (next_equal(gpus, 0, &gpus->items[i]) == &gpus->items[i]) {
            say(gpus, &gpus->items[i]);
        }
    }
}
