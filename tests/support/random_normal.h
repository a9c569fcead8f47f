/* Random numbers with a normal distribution, from the library's seeded generator. */
#pragma once

#include "base/random.h"

#include <math.h>

/* Draws from the standard normal distribution (Box-Muller). */
static inline double random_normal(gt_random *random)
{
    double u = 1.0 - gt_random_unit(random);
    double v = gt_random_unit(random);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
