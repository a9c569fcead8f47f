/* The table of what a launch is set to. */
#include "kernel/settings.h"

#include "kernel/symbols.h"

enum {
    PLAN = GT_USE_PROBLEM | GT_USE_AXIS,
    /* What the source is made of must not depend on run-time sizes: a plan serves other sizes too.
     */
    SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE
};

#define LAUNCHED(word, most, clause, launch)                                                       \
    {                                                                                              \
#word, offsetof(gt_template_step, word), most, clause, launch, false, false                \
    }
#define COMPILED(word, most)                                                                       \
    {                                                                                              \
#word, offsetof(gt_template_parts, word), most, SOURCE, 0, true, false                     \
    }

static const gt_setting settings[] = {
    LAUNCHED(block, 3, PLAN, PLAN | GT_USE_COUNTER),
    LAUNCHED(grid, 3, PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY, PLAN | GT_USE_COUNTER),
    LAUNCHED(shared, 1, PLAN | GT_USE_BLOCK, PLAN),
    LAUNCHED(cluster, 3, 0, PLAN),
    LAUNCHED(cooperative, 1, SOURCE, PLAN),
    LAUNCHED(times, 1, 0, PLAN | GT_USE_COUNTER),
    LAUNCHED(programmatic, 1, 0, PLAN),
    LAUNCHED(when, 1, 0, PLAN | GT_USE_COUNTER),
    {"args", 0, 0, 0, PLAN | GT_USE_COUNTER, false, false},
    COMPILED(launch_bounds, 2),
    COMPILED(maxreg, 1),
};
enum { SETTINGS = sizeof settings / sizeof *settings };
_Static_assert((int)GT_SETTINGS_OF_LAUNCH == (int)SETTINGS - 2, "others are of the code");

const gt_setting *gt_setting_at(uint32_t index)
{
    return index < SETTINGS ? &settings[index] : NULL;
}
