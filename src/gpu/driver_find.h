/* Where the emulator's library may be. */
#ifndef GT_GPU_DRIVER_FIND_H
#define GT_GPU_DRIVER_FIND_H

#include "base/status.h"

#define GT_EMULATOR_FILE "libgputune-emu.so"

/* The emulator's library: GPUTUNE_EMULATOR (a file, or the folder that holds it); beside this
 * library or program; in the folder "gputune" beside this library, or of ../lib and ../../lib from
 * there; in the compiled-in LIBDIR/gputune. ENODRIVER lists what was searched. Caller frees. */
gputune_status gt_emulator_find(char **out);

#endif
