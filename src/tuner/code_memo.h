/* A memo of compiled code for later searches, also of other sizes. Any thread may call these. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Each gt_code_memo_hold() needs one gt_code_memo_let_go(); the last one drops all code. */
void gt_code_memo_hold(void);
void gt_code_memo_let_go(void);

/* Keeps a copy of `code` while the memo has a holder. If the memo grows above its limit of bytes,
 * all earlier code is dropped. If memory is short, the code is not kept. */
void gt_code_memo_put(const gt_code *code);
/* Copies a source's code for a device to *out, for gt_code_free(). False: it is not there. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);
