/* Whether equal GPUs are equally fast now: one that is throttled, or at something else, is not. */
#include "cli/console.h"
#include "cli/gpus.h"

#include <pthread.h>

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
