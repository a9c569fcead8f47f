/* Keeps the code that this process has compiled, so later searches, even at other sizes, need
 * not compile it again. Thread-safe. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Returns the memo's key for compiled code. `ptx`: the code is PTX, not a cubin. */
gt_hash gt_code_key(gt_hash source, const char *arch, bool ptx);

/* Add and remove a holder of the memo. When it has no holder left, the memo is freed. */
void gt_code_memo_hold(void);
void gt_code_memo_release(void);

/* Adds a copy of `code` if the memo has a holder. If the memo is full, it is emptied first. */
void gt_code_memo_put(const gt_code *code);
/* Copies code to *out, which gt_code_free() frees. Returns false if the memo does not have it. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);
