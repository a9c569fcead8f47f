/* The properties of each objective. */
#pragma once

#include "base/status.h"

typedef struct gt_objective {
    const char *name;          /* "kernel" */
    double limit_s;            /* default time limit of a call */
    bool by_host;              /* true if times are measured by the host's clock */
    bool by_energy;            /* true if values are nanojoules, false for nanoseconds */
    bool by_work;              /* true if values are the time for as much work as the default's */
    gputune_objective sampled; /* the objective that is measured, from which this one is computed */
    /* A variant is not raced if it was slower than the best by this ratio in an earlier tuning. The
     * earlier time may be a single sample, so the ratio is far above the 1 to 3% by which separate
     * measurements of identical code differ. */
    double outclassed_ratio;
    double sample_launches; /* upper estimate of the number of launches in a sample */
} gt_objective;

/* Returns an objective's properties. DEFAULT and unknown objectives have those of KERNEL. */
const gt_objective *gt_objective_facts(gputune_objective objective);
