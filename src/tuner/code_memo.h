/* A memo of the code that this process has compiled. Later searches, and searches that run at the
 * same time, take code from it: most sources do not depend on sizes, and GPUs of one kind run the
 * same code. Any thread may call these functions. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* The memo keeps code while it has a holder: each gt_code_memo_hold() needs one
 * gt_code_memo_let_go(), and the last one drops all code. */
void gt_code_memo_hold(void);
void gt_code_memo_let_go(void);

/* Keeps a copy of `code` while the memo has a holder. If the memo grows above its limit of bytes,
 * all earlier code is dropped. If memory is short, the code is not kept. */
void gt_code_memo_put(const gt_code *code);
/* Copies the code of a source for a device to *out, which the caller releases by gt_code_free().
 * False: the memo does not have that code. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);

/* Whether `who` (any pointer that identifies a session) is to compile this source. False: another
 * session compiles it; the caller asks again later, and then finds the code here, or finds that the
 * other session gave up. Always true while the memo has no holder. */
bool gt_code_memo_begin(gt_hash source, const gt_device *device, const void *who);
/* `who` has finished compiling the source, with success or without. */
void gt_code_memo_end(gt_hash source, const gt_device *device, const void *who);
/* Gives up every compile that `who` has begun. */
void gt_code_memo_end_all(const void *who);
