/* Types for test_sequences.c: the 15 configurations of its kernel, the requests and the answers.
 * Requests and answers are sent between processes, so they contain no pointers. */
#pragma once

#include "support/scripted_farm.h"

#include <gputune_tools.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The values of the template's axes. Configuration c has block_values[c / ITEM_VALUES] and
 * item_values[c % ITEM_VALUES]. */
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

enum { SIZE_COUNT = 2, OBJECTIVE_COUNT = 3, SEED_COUNT = 2 };
enum { SCENARIOS = SIZE_COUNT * OBJECTIVE_COUNT * SEED_COUNT };
static const int64_t size_values[SIZE_COUNT] = {1 << 20, 1 << 16};
static const gputune_objective objective_values[OBJECTIVE_COUNT] = {
    GPUTUNE_OBJECTIVE_KERNEL, GPUTUNE_OBJECTIVE_LATENCY, GPUTUNE_OBJECTIVE_ENERGY};

/* The size varies fastest, so scenarios that differ only in size are neighbours. */
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

/* Disturbances of a request. They occur when the tuner waits for the farm for the `at`th time. */
typedef enum disturbance {
    UNDISTURBED,
    LIMIT,
    LATE_LIMIT, /* the time limit expires, and re-verifying the winner takes too long */
    CANCEL,
    KILL,
    BUSY_GPU,
    LOST_WORKER, /* a job of the measure worker ends with EWORKER */
    DISTURBANCES
} disturbance;
static const char *const disturbance_names[DISTURBANCES] = {
    "", "limit", "late limit", "cancel", "kill", "busy GPU", "lost worker"};

typedef struct sequence_request {
    int number;
    int process;
    int scenario;
    uint32_t template_blocks; /* bit set of the template's values of BLOCK */
    int require;              /* the limit in the template's require(BLOCK * ITEMS <= ...) */
    uint32_t only_blocks;     /* bit set of the allowed values; 0 without a restriction */
    uint32_t max_variants;
    gputune_effort effort;
    int driver_version;
    bool force, emulated, through_table;
    bool refresh; /* true to call gputune_refresh() before the request */
    disturbance disturbance;
    int at;
    scripted_variant variants[CONFIGS];
} sequence_request;

typedef struct sequence_answer {
    gputune_status status;
    gputune_source source;
    int config;
    int made_by; /* number of the request that made the plan */
    bool disturbed;
    /* true if the answer reports that the tuning hit its time limit or was canceled */
    bool undecided;
    bool unproved; /* true if the answer reports that the winner was not re-verified */
    bool explained;
    double time_ns;
    uint32_t ran_on; /* bit set of configurations that were being verified when the limit expired */
    uint32_t tried;  /* bit set of configurations that were launched in a worker */
    uint32_t refuted; /* bit set of configurations whose failure may be stored */
    char message[256];
} sequence_answer;

/* Returns the status of the first step that fails for a variant, or OK if no step fails. */
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
