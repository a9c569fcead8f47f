/* A memo of compiled code. Later searches use it: most sources do not depend on sizes, and GPUs of
 * one kind run the same code. Any thread may call these functions. */
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
