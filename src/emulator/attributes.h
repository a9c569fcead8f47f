/* The device attributes that gputune reads, those that a profile may set, and their numbers. */
#pragma once

#include "gpu/abi_codes.h"

/* X(name without CU_DEVICE_ATTRIBUTE_, value) */
#define EMU_ATTRIBUTE_LIST(X)                                                                      \
    GT_DEVICE_ATTRIBUTE_LIST(X)                                                                    \
    X(MAX_GRID_DIM_Y, 6)                                                                           \
    X(MAX_GRID_DIM_Z, 7)
