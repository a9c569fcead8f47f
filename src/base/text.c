/* Growable strings, parsing of integers, and spelling suggestions by edit distance. */
#include "base/text.h"

#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool reserve_text(gt_text *text, size_t more)
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
    if (!reserve_text(text, count)) {
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

void gt_text_vprintf(gt_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = gt_vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (count < 0) {
        text->failed = true;
    } else if (reserve_text(text, (size_t)count)) {
        gt_vsnprintf(text->data + text->length, (size_t)count + 1, format, args);
        text->length += (size_t)count;
    }
}

void gt_text_printf(gt_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gt_text_vprintf(text, format, args);
    va_end(args);
}

void gt_text_free(gt_text *text)
{
    free(text->data);
    *text = (gt_text){0};
}

gputune_status gt_text_take(char **out, gt_text *text)
{
    if (text->failed || !reserve_text(text, 0)) {
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
    GT_TRY(gt_allocated(copy));
    *out = copy;
    return GPUTUNE_OK;
}

bool gt_append_within(char *string, size_t bytes, const char *more, size_t length)
{
    const size_t before = strlen(string);
    const bool fits = before + length < bytes;
    memcpy(string + before, more, fits ? length : 0);
    string[before + (fits ? length : 0)] = '\0';
    return fits;
}

const char *gt_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int gt_word_at(const char *text, size_t length, const char *words)
{
    const char *at = length && *text ? strchr(words, *text) : NULL;
    int index = 0;
    while (at && !((at == words || at[-1] == ' ') && strncmp(at, text, length) == 0 &&
                   (at[length] == ' ' || at[length] == '\0'))) {
        at = strchr(at + 1, *text);
    }
    for (const char *before = words; at && before < at; before++) {
        index += *before == ' ';
    }
    return at ? index : -1;
}

bool gt_is_any(const char *text, size_t length, const char *words)
{
    return gt_word_at(text, length, words) >= 0;
}

gputune_status gt_format(char **out, const char *format, ...)
{
    gt_text text = {0};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    return gt_text_take(out, &text);
}

gputune_status gt_strdup(char **out, const char *string)
{
    return gt_strndup(out, string, strlen(string));
}

int gt_utf8_length(const char *from, const char *end)
{
    const unsigned char *at = (const unsigned char *)from;
    if (*at < 0x80) {
        return end > from;
    }
    int length = *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    if (*at < 0xc2 || *at > 0xf4 || end - from < length) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool too_long = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
    bool is_none = (*at == 0xed && at[1] > 0x9f) || (*at == 0xf4 && at[1] > 0x8f);
    return too_long || is_none ? 0 : length;
}

void gt_make_utf8(char *string)
{
    const char *end = string + strlen(string);
    for (char *at = string; at < end;) {
        int length = gt_utf8_length(at, end);
        if (!length) {
            *at = '?';
        }
        at += length ? length : 1;
    }
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Reads digits and returns their end, or NULL without digits. On overflow, *out is UINT64_MAX. */
static const char *read_digits(uint64_t *out, const char *at, int base)
{
    const int error = errno;
    char *end;
    *out = strtoull(at, &end, base);
    errno = error;
    return isxdigit((unsigned char)*at) && end > at ? end : NULL;
}

static const char *read_magnitude(uint64_t *out, const char *at)
{
    static const char suffixes[] = "KMGT";
    bool hex = at[0] == '0' && tolower((unsigned char)at[1]) == 'x';
    at = read_digits(out, at, hex ? 16 : 10); /* a leading zero does not mean octal */
    if (at && *at == '^') {
        uint64_t exponent, power = 1;
        at = read_digits(&exponent, at + 1, 10);
        /* stop after 64 steps: powers of 0 and 1 do not change, and other powers have overflowed */
        for (uint64_t i = exponent < 64 ? exponent : 64; i > 0; i--) {
            power = multiply(power, *out);
        }
        *out = power;
    }
    const char *suffix = at && *at ? strchr(suffixes, toupper((unsigned char)*at)) : NULL;
    if (!suffix) {
        return at;
    }
    *out = multiply(*out, UINT64_C(1) << (10 * (suffix - suffixes + 1)));
    return at + 1;
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

gt_int_reading gt_read_int(int64_t *out, const char *string)
{
    uint64_t value;
    const char *at = skip_blanks(string);
    bool negative = *at == '-';
    at = read_magnitude(&value, at + (*at == '-' || *at == '+'));
    if (!at || *skip_blanks(at)) {
        return GT_INT_MALFORMED;
    }
    if (value > (uint64_t)INT64_MAX + negative) {
        return GT_INT_TOO_LARGE;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return GT_INT_READ;
}

gputune_status gt_parse_int(int64_t *out, const char *string)
{
    switch (gt_read_int(out, string)) {
    case GT_INT_READ:
        return GPUTUNE_OK;
    case GT_INT_TOO_LARGE:
        return gt_fail(GPUTUNE_EINVAL, "'%s' is too large; expected an integer below 2^63", string);
    default:
        return gt_fail(GPUTUNE_EINVAL,
                       "'%s' is not an integer; expected a number such as 4096, 4K, 16M or 2^20",
                       string);
    }
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

gt_near gt_near_to(const char *word)
{
    const size_t limit = strlen(word) / 3;
    return (gt_near){.word = word, .distance = (limit < 2 ? 2 : limit) + 1};
}

static bool is_nearer(gt_near *near, const char *name)
{
    const size_t distance = edit_distance(near->word, name);
    const size_t n = strlen(near->word), m = strlen(name);
    /* half of the letters must match, because unrelated short words also have a small distance */
    bool nearer = distance < near->distance && distance <= (n > m ? n : m) / 2;
    near->distance = nearer ? distance : near->distance;
    return nearer;
}

void gt_near_try(gt_near *near, const char *name)
{
    if (is_nearer(near, name)) {
        memcpy(near->name, name, strlen(name) + 1);
    }
}

void gt_near_words(gt_near *near, const char *names)
{
    for (size_t length; *names; names += length + (names[length] == ' ')) {
        char name[NEAREST_MAX + 1] = "";
        length = strcspn(names, " ");
        memcpy(name, names, length < sizeof name ? length : 0);
        gt_near_try(near, name);
    }
}

void gt_near_all(gt_near *near, const void *items, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gt_near_try(near, (const char *)items + i * bytes);
    }
}

const char *gt_near_or(gt_near *near, const char *otherwise)
{
    (void)snprintf(near->quoted, sizeof near->quoted, "'%s'", near->name);
    return near->name[0] ? near->quoted : otherwise;
}

const char *gt_nearest_in(const char *word, const void *items, size_t bytes, size_t count)
{
    gt_near near = gt_near_to(word);
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)items + i * bytes);
        nearest = is_nearer(&near, name) ? name : nearest;
    }
    return nearest;
}

size_t gt_setting_length(const char *text, bool commas)
{
    const char *end = text;
    for (;;) {
        end += strcspn(end, commas ? " \t\n," : " \t\n");
        const char *next = end + strspn(end, " \t\n");
        const size_t word = strcspn(next, " \t\n,=");
        if (word == 0 || next[word] == '=') {
            return (size_t)(end - text);
        }
        end = next;
    }
}

const char *gt_count_text(char *out, size_t bytes, uint64_t count)
{
    char digits[24];
    size_t length = 0, at = 0;
    do {
        digits[length++] = (char)('0' + count % 10);
        count /= 10;
    } while (count);
    while (length && at + 2 < bytes) {
        out[at++] = digits[--length];
        if (length && length % 3 == 0) {
            out[at++] = ',';
        }
    }
    out[at] = '\0';
    return out;
}

size_t gt_index_in(const char *text, const void *items, size_t bytes, size_t count)
{
    size_t i = 0;
    while (i < count &&
           strcmp(*(const char *const *)((const char *)items + i * bytes), text) != 0) {
        i++;
    }
    return i;
}

bool gt_is_listed(const char *text, const char *const *texts, size_t count)
{
    return !texts || gt_index_of(text, texts, count) < count;
}
