/* What there is to know of an objective, in one place. Pure. */
#pragma once

#include "base/status.h"

typedef struct gt_objective {
    const char *name;          /* "kernel" */
    double limit_s;            /* time limit of a call that states none */
    bool by_host;              /* on the host's clock, so that the host is part of the key */
    bool by_energy;            /* values are nanojoules; else nanoseconds */
    bool by_work;              /* values are of the work that a launch of the default does */
    gputune_objective sampled; /* what the measure worker samples: itself, or what it is made of */
    /* A variant that an earlier tuning found slower than the best by this ratio is not raced again.
     * Far above the 1 to 3% by which identical code differs between separate measurements, since it
     * may have been sampled only once. */
    double outclassed_ratio;
    double sample_launches; /* of a variant in one sample, generously: for the deadline */
} gt_objective;

/* Never NULL: an unknown one, and DEFAULT, are named "default" and otherwise like `kernel`. */
const gt_objective *gt_objective_facts(gputune_objective objective);
