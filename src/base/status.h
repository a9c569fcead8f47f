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

/* The caller's callback for warnings and progress messages. */
typedef struct gt_log {
    gputune_log_fn call; /* NULL if messages are dropped */
    void *user;
} gt_log;

/* Sends a line of at most 1 KB, without a newline, to the callback. Does not change gt_message().
 * `log` may be NULL. */
void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
    GT_PRINTF(3, 4);

/* This function is inline, so the compiler sees that a failed call does not return OK. */
static inline gputune_status gt_failure(gputune_status code)
{
    return code;
}

/* Sets the message and evaluates to `code`, as in: return gt_fail(code, format, ...). */
#define gt_fail(code, ...) (gt_message_set(__VA_ARGS__), gt_failure(code))

/* Puts "prefix: " before the message and evaluates to `code`. */
#define gt_fail_prefix(code, ...) (gt_message_prefix(__VA_ARGS__), gt_failure(code))

/* Reports ENOMEM without allocating. */
static inline gputune_status gt_fail_memory(void)
{
    return gt_fail(GPUTUNE_ENOMEM, "out of host memory");
}

/* Returns the calling thread's message; "" if there is none. */
const char *gt_message(void);

/* Returns the enumerator without its prefix ("EINVAL"), or "?" for an unknown code. */
const char *gt_status_name(int status);

/* Returns OK, or ENOMEM if an allocation returned NULL. */
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

/* Attributes of a variable that is released at the end of its block, on every path. Initialise the
 * variable in its declaration. To keep its value, move it out with gt_take().
 *
 *     GT_FREED char *path = NULL;                      free(path)
 *     GT_FREED gt_list list = {0};                     free(list.items), of a GT_ARRAY
 *     GT_SCOPED(gt_text_free) gt_text text = {0};      gt_text_free(&text) */
#define GT_SCOPED(end) __attribute__((cleanup(end)))
#define GT_FREED       GT_SCOPED(gt_free_at)

static inline void gt_free_at(void *pointer)
{
    free(*(void **)pointer);
}

/* Evaluates to the variable's value, and zeroes the variable. */
#define gt_take(pointer)                                                                           \
    __extension__({                                                                                \
        __typeof__(*(pointer)) gt_taken = *(pointer);                                              \
        *(pointer) = (__typeof__(gt_taken)){0};                                                    \
        gt_taken;                                                                                  \
    })

/* Evaluates `call` only if `status` is OK, and stores the result in `status`. */
#define GT_THEN(status, call) ((status) = (status) == GPUTUNE_OK ? (call) : (status))
