/* Compiled code of this process, for reuse by later searches, even at other sizes. Thread-safe. */
#pragma once

#include "base/device.h"
#include "store/store.h"

/* Returns a key that identifies the code of a source for an architecture, as PTX or as a cubin. */
gt_hash gt_code_key(gt_hash source, const char *arch, bool ptx);

/* Hold and release the memo. It is kept until every hold was released, and freed then. */
void gt_code_memo_hold(void);
void gt_code_memo_release(void);

/* Adds a copy of `code`, if the memo is held. A full memo is emptied first. */
void gt_code_memo_put(const gt_code *code);
/* Copies code to *out, which the caller frees with gt_code_free(). Returns false if not found. */
bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device);
