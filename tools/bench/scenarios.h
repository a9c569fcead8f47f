/* The kernels of gputune, each with a small, a medium and a large size, for benchmarks. */
#pragma once

#include "gputune_tools.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct bench_scenario {
    const char *kernel;
    gputune_size sizes[2];
    size_t size_count;
    gputune_objective objective;
} bench_scenario;

#define BENCH_ONE(kernel, name, value, objective)                                                  \
    {                                                                                              \
        kernel, {{name, value}, {NULL, 0}}, 1, objective                                           \
    }
#define BENCH_TWO(kernel, name, value, other, other_value)                                         \
    {                                                                                              \
        kernel, {{name, value}, {other, other_value}}, 2, GPUTUNE_OBJECTIVE_KERNEL                 \
    }

static const bench_scenario bench_scenarios[] = {
    BENCH_ONE("axpy", "n", 1 << 14, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("axpy", "n", 1 << 21, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("axpy", "n", 1 << 26, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("copy", "n", 1 << 14, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("copy", "n", 1 << 21, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_ONE("copy", "n", 1 << 27, GPUTUNE_OBJECTIVE_KERNEL),
    BENCH_TWO("gather", "n", 1 << 16, "entries", 1 << 12),
    BENCH_TWO("gather", "n", 1 << 21, "entries", 1 << 15),
    BENCH_TWO("gather", "n", 1 << 26, "entries", 1 << 15),
    BENCH_TWO("histogram", "n", 1 << 18, "bins", 1 << 10),
    BENCH_TWO("histogram", "n", 1 << 22, "bins", 1 << 14),
    BENCH_TWO("histogram", "n", 1 << 26, "bins", 1 << 16),
    BENCH_ONE("paramsum", "COUNT", 100, GPUTUNE_OBJECTIVE_LAUNCH),
    BENCH_ONE("paramsum", "COUNT", 2000, GPUTUNE_OBJECTIVE_LAUNCH),
    BENCH_ONE("paramsum", "COUNT", 8000, GPUTUNE_OBJECTIVE_LAUNCH),
};

enum { BENCH_SCENARIOS = sizeof bench_scenarios / sizeof *bench_scenarios };

/* Returns true if `names` contains the scenario's kernel, or if `names` is empty. */
static inline bool bench_wanted(const bench_scenario *scenario, int count, char **names)
{
    bool wanted = count == 0;
    for (int i = 0; i < count; i++) {
        wanted = wanted || strcmp(names[i], scenario->kernel) == 0;
    }
    return wanted;
}

static inline void bench_sizes_text(char *out, size_t capacity, const bench_scenario *scenario)
{
    size_t used = 0;
    for (size_t i = 0; i < scenario->size_count && used < capacity; i++) {
        const gputune_size *size = &scenario->sizes[i];
        int written = snprintf(out + used, capacity - used, "%s%s=%lld", i ? " " : "", size->name,
                               (long long)size->value);
        used += written > 0 ? (size_t)written : 0;
    }
}

static inline gputune_sizes bench_sizes(const bench_scenario *scenario)
{
    return (gputune_sizes){scenario->size_count, scenario->sizes};
}
