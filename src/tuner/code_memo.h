/* The code that this process has compiled, for its next searches and those that run beside them:
 * most sources do not depend on sizes, and GPUs of one kind run the same code. Any thread. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Code is kept from now on, until as many have let go of it. */
void gt_code_memo_hold(void);
void gt_code_memo_let_go(void);

/* Keeps a copy of a code, as long as somebody holds the memo. Above a limit of bytes all that was
 * kept before is dropped. Where there is no memory, nothing is kept. */
void gt_code_memo_put(const gt_code *code);
/* The code of a source for a device. False: it is not kept. gt_code_free() releases *out. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);

/* Whether `who` is to compile a source; false: another one is at it, whose code will be found here,
 * or who gives it up. Where nobody holds the memo, everybody compiles. */
bool gt_code_memo_begin(gt_hash source, const gt_device *device, const void *who);
/* It is compiled, or failed to be. */
void gt_code_memo_end(gt_hash source, const gt_device *device, const void *who);
/* Gives up all that `who` has begun. */
void gt_code_memo_end_all(const void *who);
