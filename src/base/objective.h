/* The properties of each objective. */
#pragma once

#include "base/status.h"

typedef struct gt_objective {
    const char *name; /* "kernel" */
    double limit_s;   /* default time limit of a call, in seconds */
    bool by_host;     /* true if times are from the host's clock, so the host is part of the key */
    bool by_energy;   /* true if values are nanojoules, false for nanoseconds */
    bool by_work;     /* true if values are scaled to the work of one launch of the default */
    gputune_objective sampled; /* the objective that is measured, and from which this objective is
                                  computed */
    /* A variant that an earlier tuning found slower than the best by this ratio is not raced again.
     * The ratio is far above the 1 to 3% between separate measurements of identical code, because
     * the variant may have been sampled only once. */
    double outclassed_ratio;
    double sample_launches; /* upper estimate of launches per sample, for the deadline */
} gt_objective;

/* Returns an objective's properties; never NULL. DEFAULT and unknown ones are like `kernel`. */
const gt_objective *gt_objective_facts(gputune_objective objective);
