/* Status codes, the thread's last message, and messages for the caller's log. */
#pragma once

#include <gputune.h>
#include <stdarg.h>
#include <stdlib.h>

#define GT_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Sets the calling thread's message: one line of at most 1 KB. Preserves errno. */
void gt_message_set(const char *format, ...) GT_PRINTF(1, 2);
/* Puts "prefix: " before the current message. */
void gt_message_prefix(const char *format, ...) GT_PRINTF(1, 2);

void gt_one_line(char *text);

/* A callback of the caller for warnings and progress messages. */
typedef struct gt_log {
    gputune_log_fn call; /* NULL: lines are dropped */
    void *user;
} gt_log;

/* Writes one line, cut at 1 KB and with newlines replaced by spaces. Drops it if `log` is NULL. */
void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
    GT_PRINTF(3, 4);

/* Inline, so the compiler knows that a failed call does not return OK. */
static inline gputune_status gt_failure(gputune_status code)
{
    return code;
}

/* Sets the message and evaluates to `code`: return gt_fail(code, format, ...). */
#define gt_fail(code, ...) (gt_message_set(__VA_ARGS__), gt_failure(code))

/* Puts "prefix: " before the message and evaluates to `code`, for a caller that knows the place. */
#define gt_fail_prefix(code, ...) (gt_message_prefix(__VA_ARGS__), gt_failure(code))

/* Reports ENOMEM without allocating. */
static inline gputune_status gt_fail_memory(void)
{
    return gt_fail(GPUTUNE_ENOMEM, "out of host memory");
}

/* Returns the calling thread's message, "" if none. */
const char *gt_message(void);

/* Returns the enumerator without prefix ("EINVAL"), or "?" for an unknown code; never NULL. */
const char *gt_status_name(int status);

/* Returns OK, or reports ENOMEM if `memory`, the result of an allocation, is NULL. */
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

/* Returns from the enclosing function with gt_fail() if `condition` is true. */
#define GT_REFUSE(condition, code, ...)                                                            \
    GT_TRY((condition) ? gt_fail(code, __VA_ARGS__) : GPUTUNE_OK)

/* Attributes of a variable that is released at the end of its block, on every path. Initialise it
 * in its declaration; gt_take() moves the value to the caller.
 *
 *     GT_FREED char *path = NULL;                      free(path)
 *     GT_FREED gt_list list = {0};                     free(list.items), of a GT_ARRAY
 *     GT_SCOPED(gt_text_free) gt_text text = {0};      gt_text_free(&text) */
#define GT_SCOPED(end) __attribute__((cleanup(end)))
#define GT_FREED       GT_SCOPED(gt_free_at)

/* Frees the memory that *pointer points to, for GT_FREED. */
static inline void gt_free_at(void *pointer)
{
    free(*(void **)pointer);
}

/* Moves the value out of a variable: evaluates to the value and zeroes the variable. */
#define gt_take(pointer)                                                                           \
    __extension__({                                                                                \
        __typeof__(*(pointer)) gt_taken = *(pointer);                                              \
        *(pointer) = (__typeof__(gt_taken)){0};                                                    \
        gt_taken;                                                                                  \
    })

/* Evaluates `call` only if `status` is OK, and stores its result in `status`. For functions that
 * clean up at their end. */
#define GT_THEN(status, call) ((status) = (status) == GPUTUNE_OK ? (call) : (status))

/* Stores `made` in *out if `status` is OK, otherwise evaluates `drop`. Evaluates to the status. */
#define GT_GIVE(status, out, made, drop)                                                           \
    ((status) == GPUTUNE_OK ? (*(out) = (made), GPUTUNE_OK) : ((void)(drop), (status)))
