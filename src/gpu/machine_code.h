/* What the instructions of a cubin tell. Only the few opcodes that are needed are known. */
#ifndef GT_GPU_MACHINE_CODE_H
#define GT_GPU_MACHINE_CODE_H

#include "base/launch.h"

/* Sets the widths of out's global (and generic) loads and stores: of LDG, LD, LDGSTS, STG and ST in
 * all functions of a cubin for compute capabilities 7.0 to 12.x. Copies by the bulk engine do not
 * count. PTX, and what is damaged, has none. */
void gt_machine_code_widths(gt_resources *out, const gt_image *cubin, const char *arch);

#endif
