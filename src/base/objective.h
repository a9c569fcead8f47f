/* The facts about each objective, in one place. Pure. */
#pragma once

#include "base/status.h"

typedef struct gt_objective {
    const char *name; /* "kernel" */
    double limit_s;   /* time limit in seconds of a call that states none */
    bool by_host;     /* times are of the host's clock, so that the host is part of the key */
    bool by_energy;   /* values are nanojoules; else nanoseconds */
    bool by_work;     /* values are for the work that one launch of the default does */
    gputune_objective sampled; /* the objective that the measure worker samples: this one, or one
                                  from which it is computed */
    /* A variant that an earlier tuning found slower than the best by this ratio is not raced again.
     * Far above the 1 to 3% by which identical code differs between separate measurements, since it
     * may have been sampled only once. */
    double outclassed_ratio;
    double sample_launches; /* launches of a variant in one sample, a generous guess for the
                               deadline */
} gt_objective;

/* The facts about `objective`; never NULL. An unknown objective, and DEFAULT, are named "default"
 * and otherwise like `kernel`. */
const gt_objective *gt_objective_facts(gputune_objective objective);
