/* Keeps code that this process compiled for later searches, even at other sizes. Thread-safe. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Each gt_code_memo_hold() needs one gt_code_memo_release(); the last one drops all code. */
void gt_code_memo_hold(void);
void gt_code_memo_release(void);

/* Keeps a copy of `code` while the memo has a holder. If the memo is full, earlier code is
 * dropped. */
void gt_code_memo_put(const gt_code *code);
/* Copies the code of a source to *out, which gt_code_free() frees. Returns false if the memo does
 * not contain it. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);
