#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(gt_text *text, size_t more)
{
    if (text->failed || more > SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    size_t need = text->length + more + 1;
    if (need <= text->capacity) {
        return true;
    }
    size_t capacity = need < 64 ? 64 : need + need / 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void gt_text_append_bytes(gt_text *text, const void *bytes, size_t count)
{
    if (!reserve(text, count)) {
        return;
    }
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void gt_text_append(gt_text *text, const char *string)
{
    gt_text_append_bytes(text, string, strlen(string));
}

void gt_text_printf(gt_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

void gt_text_clear(gt_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data) {
        text->data[0] = '\0';
    }
}

void gt_text_free(gt_text *text)
{
    free(text->data);
    *text = (gt_text){0};
}

gputune_status gt_text_take(char **out, gt_text *text)
{
    if (text->failed || !reserve(text, 0)) {
        gt_text_free(text);
        return gt_fail_memory();
    }
    text->data[text->length] = '\0';
    *out = text->data;
    *text = (gt_text){0};
    return GPUTUNE_OK;
}

const char *gt_text_string(const gt_text *text)
{
    return text->data && text->length ? text->data : "";
}

gputune_status gt_strndup(char **out, const char *string, size_t count)
{
    char *copy = strndup(string, count);
    if (!copy) {
        return gt_fail_memory();
    }
    *out = copy;
    return GPUTUNE_OK;
}

gputune_status gt_strdup(char **out, const char *string)
{
    return gt_strndup(out, string, strlen(string));
}

static bool scale(int64_t *value, int64_t factor)
{
    return !__builtin_mul_overflow(*value, factor, value);
}

static bool apply_suffix(int64_t *value, const char **end)
{
    static const char suffixes[] = "KMGT";
    const char *hit = **end ? strchr(suffixes, toupper((unsigned char)**end)) : NULL;
    if (!hit) {
        return true;
    }
    ++*end;
    return scale(value, INT64_C(1) << (10 * (hit - suffixes + 1)));
}

static bool apply_power(int64_t *value, const char **end)
{
    if (**end != '^') {
        return true;
    }
    char *after;
    errno = 0;
    long exponent = strtol(*end + 1, &after, 10);
    if (errno || after == *end + 1 || exponent < 0 || exponent > 62) {
        return false;
    }
    int64_t base = *value;
    *value = 1;
    for (long i = 0; i < exponent; i++) {
        if (!scale(value, base)) {
            return false;
        }
    }
    *end = after;
    return true;
}

/* A leading zero pads a number; it makes none octal. */
static int base_of(const char *string)
{
    while (isspace((unsigned char)*string)) {
        string++;
    }
    string += *string == '-' || *string == '+';
    return string[0] == '0' && tolower((unsigned char)string[1]) == 'x' ? 16 : 10;
}

gputune_status gt_parse_int(int64_t *out, const char *string)
{
    char *after;
    errno = 0;
    int64_t value = strtoll(string, &after, base_of(string));
    const char *end = after;
    bool ok = !errno && end != string && apply_power(&value, &end) && apply_suffix(&value, &end);
    while (ok && isspace((unsigned char)*end)) {
        end++;
    }
    if (!ok || *end) {
        return gt_fail(GPUTUNE_EINVAL,
                       "'%s' is not an integer; expected a number such as 4096, 4K, 16M or 2^20",
                       string);
    }
    *out = value;
    return GPUTUNE_OK;
}

enum { NEAREST_MAX = 63 };

static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > NEAREST_MAX || m > NEAREST_MAX) {
        return SIZE_MAX;
    }
    size_t row[NEAREST_MAX + 1];
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change =
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < gap ? change : gap;
        }
    }
    return row[m];
}

const char *gt_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t limit = strlen(word) / 3;
    size_t best = (limit < 2 ? 2 : limit) + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
