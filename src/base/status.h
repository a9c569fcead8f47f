/* Status codes and the thread's last message. */
#ifndef GT_BASE_STATUS_H
#define GT_BASE_STATUS_H

#include <gputune.h>
#include <stdarg.h>

#define GT_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Records a one-line message for the calling thread (longer ones are cut at 1 KB, newlines become
 * spaces) and returns `code`, so that a failure is one statement: return gt_fail(...). */
gputune_status gt_fail(gputune_status code, const char *format, ...) GT_PRINTF(2, 3);

/* Records ENOMEM without allocating. */
gputune_status gt_fail_memory(void);

/* Puts "prefix: " before the current message and returns `code` unchanged. For a caller that knows
 * the place; never replaces what was said. */
gputune_status gt_fail_prefix(gputune_status code, const char *format, ...) GT_PRINTF(2, 3);

/* The calling thread's message, "" if none. */
const char *gt_message(void);

/* The enumerator without prefix ("EINVAL"), or "?" for an unknown code; never NULL. */
const char *gt_status_name(int status);
/* The code of such a name; GPUTUNE_EINVAL when there is none. */
gputune_status gt_status_from_name(const char *name);

/* Returns from the enclosing function when `call` fails. */
#define GT_TRY(call)                                                                               \
    do {                                                                                           \
        gputune_status gt_try_status_ = (call);                                                    \
        if (gt_try_status_ < 0) {                                                                  \
            return gt_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

#endif
