/* Status codes and the thread's last message. */
#pragma once

#include <gputune.h>
#include <stdarg.h>
#include <stdlib.h>

#define GT_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Records a one-line message for the calling thread. Longer messages are cut at 1 KB, and newlines
 * become spaces. errno stays as it was. */
void gt_message_set(const char *format, ...) GT_PRINTF(1, 2);
/* Puts "prefix: " before the current message. */
void gt_message_prefix(const char *format, ...) GT_PRINTF(1, 2);

/* Makes one line of a text: newlines become spaces. */
void gt_one_line(char *text);

/* Inline, so that the compiler sees that a failing function did not succeed. */
static inline gputune_status gt_failure(gputune_status code)
{
    return code;
}

/* Records the message and gives `code`, so that a failure is one statement: return gt_fail(code,
 * format, ...). */
#define gt_fail(code, ...) (gt_message_set(__VA_ARGS__), gt_failure(code))

/* Puts "prefix: " before the current message and gives `code` unchanged. For a caller that knows
 * where the failure happened; the message itself stays. */
#define gt_fail_prefix(code, ...) (gt_message_prefix(__VA_ARGS__), gt_failure(code))

/* Records ENOMEM without allocating. */
static inline gputune_status gt_fail_memory(void)
{
    return gt_fail(GPUTUNE_ENOMEM, "out of host memory");
}

/* The calling thread's message, "" if none. */
const char *gt_message(void);

/* The enumerator without prefix ("EINVAL"), or "?" for an unknown code; never NULL. */
const char *gt_status_name(int status);

/* Fails with ENOMEM and its message where `memory`, the result of an allocation, is NULL. */
static inline gputune_status gt_allocated(const void *memory)
{
    return memory ? GPUTUNE_OK : gt_fail_memory();
}

/* Returns from the enclosing function when `call` fails. */
#define GT_TRY(call)                                                                               \
    do {                                                                                           \
        gputune_status gt_try_status_ = (call);                                                    \
        if (gt_try_status_ < 0) {                                                                  \
            return gt_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

/* Fails as gt_fail() does where `condition` holds, and returns that from the enclosing function. */
#define GT_REFUSE(condition, code, ...)                                                            \
    GT_TRY((condition) ? gt_fail(code, __VA_ARGS__) : GPUTUNE_OK)

/* Declares a variable whose memory or object ends with its block, on each path out of it:
 *
 *     GT_FREED char *path = NULL;                      free(path)
 *     GT_FREED gt_list list = {0};                     free(list.items), of a GT_ARRAY
 *     GT_SCOPED(gt_text_free) gt_text text = {0};      gt_text_free(&text)
 *
 * Such a variable is initialised where it is declared. Memory that a function hands to its caller
 * is not declared so. */
#define GT_SCOPED(end) __attribute__((cleanup(end)))
#define GT_FREED       GT_SCOPED(gt_free_at)

/* Frees the memory to which the pointer at `pointer` leads: for GT_FREED. */
static inline void gt_free_at(void *pointer)
{
    free(*(void **)pointer);
}

/* Calls `call` only if `status` is OK so far, and stores its status there. For functions that clean
 * up at their end. */
#define GT_THEN(status, call) ((status) = (status) == GPUTUNE_OK ? (call) : (status))

/* Ends a function that made an object: if `status` is OK it stores `made` in *out, else it cleans
 * up by the call `drop`. Evaluates to the status. */
#define GT_GIVE(status, out, made, drop)                                                           \
    ((status) == GPUTUNE_OK ? (*(out) = (made), GPUTUNE_OK) : ((void)(drop), (status)))
