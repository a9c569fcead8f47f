/* The table of what a launch is set to. */
#include "kernel/template/settings.h"

#include "kernel/template/symbols.h"

enum {
    PLAN = GT_USE_PROBLEM | GT_USE_AXIS,
    /* A source must not depend on run-time sizes, because a plan serves other sizes too. */
    SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE
};

#define LAUNCHED(name, most_, clause, launch)                                                      \
    {                                                                                              \
        .word = #name, .offset = offsetof(gt_template_step, name), .most = most_,                  \
        .clause_use = clause, .launch_use = launch                                                 \
    }
#define COMPILED(name, most_)                                                                      \
    {                                                                                              \
        .word = #name, .offset = offsetof(gt_template_parts, name), .most = most_,                 \
        .clause_use = SOURCE, .in_source = true                                                    \
    }

const gt_setting gt_kernel_settings[GT_SETTINGS] = {
    LAUNCHED(block, 3, PLAN, PLAN | GT_USE_COUNTER),
    LAUNCHED(grid, 3, PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY, PLAN | GT_USE_COUNTER),
    LAUNCHED(shared, 1, PLAN | GT_USE_BLOCK, PLAN),
    LAUNCHED(cluster, 3, 0, PLAN),
    LAUNCHED(cooperative, 1, SOURCE, PLAN),
    LAUNCHED(times, 1, 0, PLAN | GT_USE_COUNTER),
    LAUNCHED(programmatic, 1, 0, PLAN),
    LAUNCHED(when, 1, 0, PLAN | GT_USE_COUNTER),
    {.word = "args"},
    COMPILED(launch_bounds, 2),
    COMPILED(maxreg, 1),
};

const gt_settings gt_launch_settings = {gt_kernel_settings, GT_SETTINGS_OF_LAUNCH,
                                        "a setting such as block = 256"};
