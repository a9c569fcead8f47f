/* Growable strings and other text functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A growable, NUL-terminated string; empty if zeroed. An append that runs out of memory sets
 * `failed`, and later appends do nothing, so one check at the end suffices. */
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
/* Moves the string to *out, which the caller frees. ENOMEM if an append failed. */
gputune_status gt_text_take(char **out, gt_text *text);
/* Returns the string, which `text` owns; never NULL. */
const char *gt_text_string(const gt_text *text);

/* Formats a new string, which the caller frees. */
gputune_status gt_format(char **out, const char *format, ...) GT_PRINTF(2, 3);
/* Like strdup() and strndup(), but return a status: OK or ENOMEM. */
gputune_status gt_strdup(char **out, const char *string);
gputune_status gt_strndup(char **out, const char *string, size_t count);

/* Returns the name of a file without its directories. */
const char *gt_base_name(const char *path);

/* Returns the index of the word (`length` bytes) in the blank-separated list `words`, or -1. */
int gt_word_at(const char *text, size_t length, const char *words);
/* Returns true if gt_word_at() finds the word. */
bool gt_is_any(const char *text, size_t length, const char *words);

/* Returns the length of the first setting in a list such as "n=4 T=unsigned int". The setting ends
 * before the blanks that precede the next "NAME=". If `commas` is true, a comma ends it too. */
size_t gt_setting_length(const char *text, bool commas);

/* Appends to a string in an array of `bytes` bytes. If the result does not fit, changes nothing and
 * returns false. */
bool gt_append_within(char *string, size_t bytes, const char *more, size_t length);

/* Returns the length in bytes of the UTF-8 character at `at`; 0 if the character is invalid. */
int gt_utf8_length(const char *at, const char *end);
/* Replaces each byte that is not valid UTF-8 by '?'. */
void gt_make_utf8(char *string);

typedef enum gt_int_reading { GT_INT_READ, GT_INT_MALFORMED, GT_INT_TOO_LARGE } gt_int_reading;
/* Reads an integer with an optional sign, in decimal or in hexadecimal after 0x, with an optional
 * exponent ("2^20") and an optional suffix K, M, G or T (powers of 1024, upper or lower case).
 * Surrounding blanks are ignored. Sets *out only for GT_INT_READ. */
gt_int_reading gt_read_int(int64_t *out, const char *string);
/* Like gt_read_int(), but returns EINVAL with a message on failure. */
gputune_status gt_parse_int(int64_t *out, const char *string);

/* Returns the plural ending for a count, as in "1 sample" and "2 samples". */
static inline const char *gt_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* The largest problem size. */
#define GT_SIZE_MAX (INT64_C(1) << 40)

/* A search for the name that is most similar to a misspelled word, by edit distance and ignoring
 * case. The distance must be at most 2, or for longer words at most a third of the length, and half
 * of the letters must match. Words longer than 63 bytes match nothing. */
typedef struct gt_near {
    const char *word;
    size_t distance; /* smaller is nearer */
    char name[64];   /* nearest name so far; "" if none */
    char quoted[68];
} gt_near;
gt_near gt_near_to(const char *word);
void gt_near_try(gt_near *near, const char *name);
/* Tries each name of a blank-separated list. */
void gt_near_words(gt_near *near, const char *names);
/* Tries the names of `count` structs whose first member is an array with the name. */
#define gt_near_items(near, items, count) gt_near_all(near, items, sizeof *(items), count)
void gt_near_all(gt_near *near, const void *items, size_t bytes, size_t count);
/* Returns the nearest name in quotes, or `otherwise` if no name is near. `near` owns the text. */
const char *gt_near_or(gt_near *near, const char *otherwise);
/* Returns the nearest of `count` names, or NULL. Items are strings, or structs whose first member
 * is a string. */
#define gt_nearest(word, items, count) gt_nearest_in(word, items, sizeof *(items), count)
const char *gt_nearest_in(const char *word, const void *items, size_t bytes, size_t count);

/* Formats an integer as "116,928", in at most 27 characters. Returns `out`. */
const char *gt_count_text(char *out, size_t bytes, uint64_t count);

/* Returns the index of `text`, or `count` if it is missing. Items are strings, or structs whose
 * first member is a string. */
#define gt_index_of(text, items, count) gt_index_in(text, items, sizeof *(items), count)
size_t gt_index_in(const char *text, const void *items, size_t bytes, size_t count);
/* Returns true if `texts` is NULL or contains `text`. */
bool gt_is_listed(const char *text, const char *const *texts, size_t count);
