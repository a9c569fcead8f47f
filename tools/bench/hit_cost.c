/* What asking for a known kernel costs: tune_kernel() answered from the tuner's table, the plan
 * kept and released each time, by one thread and by several.
 *
 * hit_cost [-t THREADS] [-n CALLS] [-d DRIVER] [-k KERNEL] */
#include <gputune.h>

#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 256, REPEATS = 5 };

static gputune *tuner;
static const char *kernel = "axpy";
static long calls = 2000000;
static pthread_barrier_t barrier;

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *ask(void *user)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    double *seconds = user;
    options.effort = GPUTUNE_CACHED_ONLY;
    pthread_barrier_wait(&barrier);
    double start = now_s();
    for (long i = 0; i < calls; i++) {
        gputune_plan *plan;
        if (tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", 4096}), &options) < 0) {
            fprintf(stderr, "%s\n", gputune_error());
            exit(1);
        }
        gputune_plan_release(plan);
    }
    *seconds = now_s() - start;
    return NULL;
}

/* Nanoseconds a call, of the slowest thread; the best of a few repeats. */
static double cost(int threads)
{
    double best = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        pthread_t ids[THREADS_MAX];
        double seconds[THREADS_MAX], slowest = 0;
        pthread_barrier_init(&barrier, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++) {
            pthread_create(&ids[i], NULL, ask, &seconds[i]);
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(ids[i], NULL);
            slowest = seconds[i] > slowest ? seconds[i] : slowest;
        }
        pthread_barrier_destroy(&barrier);
        double ns = slowest / (double)calls * 1e9;
        best = !repeat || ns < best ? ns : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    int threads = 8, letter;
    options.driver = "emu";
    options.database = ":memory:";
    while ((letter = getopt(argc, argv, "t:n:d:k:")) != -1) {
        switch (letter) {
        case 't':
            threads = (int)strtol(optarg, NULL, 10);
            break;
        case 'n':
            calls = strtol(optarg, NULL, 10);
            break;
        case 'd':
            options.driver = optarg;
            break;
        case 'k':
            kernel = optarg;
            break;
        default:
            return 2;
        }
    }
    if (threads < 1 || threads > THREADS_MAX || calls < 1) {
        fprintf(stderr, "hit_cost: expected 1 to %d threads, and calls\n", THREADS_MAX);
        return 2;
    }
    if (gputune_open(&tuner, &options) < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        return 1;
    }
    printf("one thread: %.1f ns a call\n", cost(1));
    printf("%d threads: %.1f ns a call each\n", threads, cost(threads));
    gputune_close(tuner);
    return 0;
}
