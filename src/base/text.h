/* Growable strings, and the small text work that several rooms need. */
#pragma once

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A growable, always NUL-terminated string. A struct that is all zero is an empty string. An append
 * that runs out of memory sets `failed` and later appends do nothing, so that one check at the end
 * is enough. */
typedef struct gt_text {
    char *data;
    size_t length, capacity;
    bool failed;
} gt_text;

void gt_text_append(gt_text *text, const char *string);
void gt_text_append_bytes(gt_text *text, const void *bytes, size_t count);
void gt_text_printf(gt_text *text, const char *format, ...) GT_PRINTF(2, 3);
void gt_text_vprintf(gt_text *text, const char *format, va_list args) GT_PRINTF(2, 0);
void gt_text_free(gt_text *text);
/* Hands the string to the caller (free() it) and empties `text`; ENOMEM if an append had failed. */
gputune_status gt_text_take(char **out, gt_text *text);
/* The string, "" when nothing was appended. */
const char *gt_text_string(const gt_text *text);

/* strdup/strndup with ENOMEM as a status. */
gputune_status gt_strdup(char **out, const char *string);
gputune_status gt_strndup(char **out, const char *string, size_t count);

/* Which of `words`, which blanks separate, the first `length` bytes of `text` are; -1: none. */
int gt_word_at(const char *text, size_t length, const char *words);
/* Whether they are one of them. */
bool gt_is_any(const char *text, size_t length, const char *words);

/* Appends to a string that has room for `bytes`; false, and nothing is done: it has too little. */
bool gt_append_within(char *string, size_t bytes, const char *more, size_t length);

/* The length in bytes of the UTF-8 character that begins at `at`; 0: none begins there. */
int gt_utf8_length(const char *at, const char *end);
/* Replaces each byte that belongs to no UTF-8 character by '?'. */
void gt_make_utf8(char *string);

typedef enum gt_int_reading { GT_INT_READ, GT_INT_MALFORMED, GT_INT_TOO_LARGE } gt_int_reading;
/* Reads an integer as users write it: decimal digits or 0x, then an optional ^exponent ("2^20"),
 * then an optional suffix K M G T (powers of 1024, either case). A sign before it holds for the
 * whole; blanks around it are allowed. *out is set for GT_INT_READ alone. */
gt_int_reading gt_read_int(int64_t *out, const char *string);
/* The same, but fails with EINVAL and a message where the text is no such integer or the integer
 * does not fit. */
gputune_status gt_parse_int(int64_t *out, const char *string);

/* The ending of a noun behind a number: "1 sample", "2 samples". */
static inline const char *gt_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* The largest value of a problem size. */
#define GT_SIZE_MAX (INT64_C(1) << 40)

/* Finds the name that a word was meant to be: the one of those tried with the least edit distance,
 * case ignored, as long as it is near enough to be meant: at most 2 letters or a third of the word
 * away, with half of the letters the same. A word above 63 bytes is near to no name. */
typedef struct gt_near {
    const char *word;
    size_t distance; /* a nearer name has less */
    char name[64];   /* the nearest name so far; "": none */
    char quoted[68];
} gt_near;
gt_near gt_near_to(const char *word);
void gt_near_try(gt_near *near, const char *name);
/* Tries names with blanks between them. */
void gt_near_words(gt_near *near, const char *names);
/* Tries the names of `count` structs, which begin with them. */
#define gt_near_items(near, items, count) gt_near_all(near, items, sizeof *(items), count)
void gt_near_all(gt_near *near, const void *items, size_t bytes, size_t count);
/* The nearest name in single quotes, or `otherwise`; lives as long as `near`. */
const char *gt_near_or(gt_near *near, const char *otherwise);
/* The nearest of an array of names, or of structs that begin with a pointer to one; or NULL. */
#define gt_nearest(word, items, count) gt_nearest_in(word, items, sizeof *(items), count)
const char *gt_nearest_in(const char *word, const void *items, size_t bytes, size_t count);

/* An integer for people, "116,928". Returns `out`, which holds 27 characters at most. */
const char *gt_count_text(char *out, size_t bytes, uint64_t count);

/* The index of the first of `count` texts, or of structs that begin with a pointer to one, that is
 * `text`; `count` where there is none. */
#define gt_index_of(text, items, count) gt_index_in(text, items, sizeof *(items), count)
size_t gt_index_in(const char *text, const void *items, size_t bytes, size_t count);
/* Whether `text` is one of `texts`; texts NULL: every text is. */
bool gt_is_listed(const char *text, const char *const *texts, size_t count);
