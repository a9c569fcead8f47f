/* Code that this process compiled, for later searches, also of other sizes. Thread-safe. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Each gt_code_memo_hold() needs one gt_code_memo_release(); the last one drops all code. */
void gt_code_memo_hold(void);
void gt_code_memo_release(void);

/* Keeps a copy of `code` while the memo has a holder. If the memo is full, earlier code is
 * dropped. */
void gt_code_memo_put(const gt_code *code);
/* Copies a source's code to *out, for gt_code_free(). Returns false if the memo lacks it. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);
