/* What the parts of the test of request sequences share: a kernel of 15 configurations, a request,
 * and its answer. Both travel through a pipe, so they hold no pointers. */
#pragma once

#include "support/scripted_farm.h"

#include <gputune_tools.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The template's axes, in its order: configuration c is BLOCK = block_values[c / ITEM_VALUES],
 * ITEMS = item_values[c % ITEM_VALUES]. */
enum {
    BLOCK_VALUES = 5,
    ITEM_VALUES = 3,
    CONFIGS = BLOCK_VALUES * ITEM_VALUES,
    ALL_BLOCKS = (1 << BLOCK_VALUES) - 1,
    DEFAULT_BLOCK = 2,
    DEFAULT_CONFIG = DEFAULT_BLOCK * ITEM_VALUES,
    NO_CONFIG = -1
};
static const int block_values[BLOCK_VALUES] = {32, 64, 128, 256, 512};
static const int item_values[ITEM_VALUES] = {1, 2, 4};

/* Two sizes, three objectives, two seeds. */
enum { SIZE_COUNT = 2, OBJECTIVE_COUNT = 3, SEED_COUNT = 2 };
enum { SCENARIOS = SIZE_COUNT * OBJECTIVE_COUNT * SEED_COUNT };
static const int64_t size_values[SIZE_COUNT] = {1 << 20, 1 << 16};
static const gputune_objective objective_values[OBJECTIVE_COUNT] = {
    GPUTUNE_OBJECTIVE_KERNEL, GPUTUNE_OBJECTIVE_LATENCY, GPUTUNE_OBJECTIVE_ENERGY};

/* The size comes last, so that scenarios of one family are neighbours. */
static inline int size_of(int scenario)
{
    return scenario % SIZE_COUNT;
}
static inline gputune_objective objective_of(int scenario)
{
    return objective_values[scenario / SIZE_COUNT % OBJECTIVE_COUNT];
}
static inline int seed_of(int scenario)
{
    return scenario / (SIZE_COUNT * OBJECTIVE_COUNT) + 1;
}

/* What disturbs a request. It strikes when the tuner waits for the farm for the `at`th time. */
typedef enum disturbance {
    UNDISTURBED,
    LIMIT,       /* the time is up */
    LATE_LIMIT,  /* likewise, and the winner's last proof takes too long */
    CANCEL,      /* the caller asks for an end */
    KILL,        /* the process is killed */
    BUSY_GPU,    /* from the beginning: another tuning has the GPU */
    LOST_WORKER, /* a job of the measure worker ends with EWORKER */
    DISTURBANCES
} disturbance;
static const char *const disturbance_names[DISTURBANCES] = {
    "", "limit", "late limit", "cancel", "kill", "busy GPU", "lost worker"};

typedef struct sequence_request {
    int number;  /* in the sequence */
    int process; /* 0 or 1 */
    int scenario;
    uint32_t template_blocks; /* bits: the template's values of BLOCK */
    int require;              /* the template's require(BLOCK * ITEMS <= ...) */
    uint32_t only_blocks;     /* bits: the restriction of BLOCK; 0: none */
    uint32_t max_variants;
    gputune_effort effort;
    gputune_isolation isolation;
    int driver_version;
    bool force, emulated, through_table;
    bool refresh; /* before the request */
    disturbance disturbance;
    int at;
    scripted_variant variants[CONFIGS]; /* how each behaves in this scenario */
} sequence_request;

typedef struct sequence_answer {
    gputune_status status;
    gputune_source source;
    int config;     /* NO_CONFIG: none */
    int made_by;    /* the request whose plan it is: an earlier one where the table answered */
    bool disturbed; /* the disturbance did strike */
    bool ran_on;    /* the limit came while the default was being proved, for ages by the clock */
    bool undecided; /* it says that the time was up, or that it was stopped */
    bool explained; /* it says why */
    double time_ns;
    uint32_t tried;   /* bits: what was launched in a worker */
    uint32_t refuted; /* bits: what was found not to work, so that it may be remembered */
    char message[256];
} sequence_answer;

/* How a configuration fails, in the end; OK: it does not. */
static inline gputune_status failure_of(const scripted_variant *v)
{
    return v->compile ? v->compile : v->verify ? v->verify : v->sample ? v->sample : v->recheck;
}

static inline void config_name(char out[32], int config)
{
    if (config == NO_CONFIG) {
        snprintf(out, 32, "nothing");
        return;
    }
    snprintf(out, 32, "BLOCK=%d ITEMS=%d", block_values[config / ITEM_VALUES],
             item_values[config % ITEM_VALUES]);
}
