/* Reads JSON. A value's first character selects its reader. Containers are read recursively. */
#include "replay/json.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum {
    DEPTH_MAX = 100,
    KEPT_DEPTH = 2,  /* if the text is malformed, the complete members at this depth are kept */
    NUMBER_MAX = 400 /* maximum length of a number; the longest plain double has 330 characters */
};

/* ---- Characters ------------------------------------------------------------------------------ */

static char next_of(const gt_json_reader *r)
{
    return (char)(r->at < r->end ? *r->at : '\0');
}

static void skip_blanks(gt_json_reader *r)
{
    for (; next_of(r) && strchr(" \t\r\n", *r->at); r->at++) {
        r->line += *r->at == '\n';
    }
}

static bool take(gt_json_reader *r, char c)
{
    bool is_there = r->at < r->end && *r->at == c;
    r->at += is_there;
    return is_there;
}

static gputune_status expected(const gt_json_reader *r, const char *what)
{
    int length = 0;
    while (r->at + length < r->end && length < 24 && isgraph((unsigned char)r->at[length]) &&
           !(length && strchr(",:]}", r->at[length]))) {
        length++;
    }
    return r->at == r->end ? gt_fail(GPUTUNE_EINVAL, "the text ends; expected %s", what)
                           : gt_fail(GPUTUNE_EINVAL, "found '%.*s'; expected %s",
                                     length ? length : 1, r->at, what);
}

/* Makes the function fail if the condition is false. The message is "expected `what`". */
#define EXPECT(condition, what) GT_TRY((condition) ? GPUTUNE_OK : expected(r, what))

static gputune_status add(gt_json_reader *r, gt_json value)
{
    value.span = 1;
    value.line = r->line;
    return gt_array_push(r->out, value);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Appends decoded bytes in place, because decoding never makes a text longer. */
static void put(char **to, const char *bytes, size_t count)
{
    memmove(*to, bytes, count);
    *to += count;
}

static void put_utf8(char **to, uint32_t c)
{
    char bytes[4];
    int count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = count - 1; i > 0; i--, c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3f));
    }
    bytes[0] = (char)(first[count] | c);
    put(to, bytes, (size_t)count);
}

/* Reads a UTF-16 unit, which has four hexadecimal digits. */
static bool read_unit(uint32_t *out, gt_json_reader *r)
{
    char digits[5] = "", *end = digits;
    if (r->end - r->at >= 4) {
        memcpy(digits, r->at, 4);
        *out = isxdigit((unsigned char)digits[0]) ? (uint32_t)strtoul(digits, &end, 16) : 0;
    }
    bool is_right = end == digits + 4 && digits[1] != 'x' && digits[1] != 'X';
    r->at += is_right ? 4 : 0;
    return is_right;
}

/* Reads the one or two UTF-16 units after \u. Refuses U+0000, because a NUL would end the text. */
static gputune_status read_units(char **to, gt_json_reader *r)
{
    uint32_t high, low;
    bool is_right = read_unit(&high, r) && high != 0 && (high & 0xfc00) != 0xdc00;
    if (is_right && (high & 0xfc00) == 0xd800) {
        is_right = take(r, '\\') && take(r, 'u') && read_unit(&low, r) && (low & 0xfc00) == 0xdc00;
        high = is_right ? 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff) : 0;
    }
    EXPECT(is_right, "the four digits of a character behind \\u");
    put_utf8(to, high);
    return GPUTUNE_OK;
}

static gputune_status read_escape(char **to, gt_json_reader *r)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name = next_of(r) ? strchr(names, *r->at) : NULL;
    if (take(r, 'u')) {
        return read_units(to, r);
    }
    EXPECT(name, "one of \"\\/bfnrtu behind a backslash");
    r->at++;
    put(to, &values[name - names], 1);
    return GPUTUNE_OK;
}

/* Returns the number of bytes before the next quote, backslash or invalid character. */
static size_t plain_length(const gt_json_reader *r)
{
    const char *at = r->at;
    int length;
    while (at < r->end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\' &&
           (length = gt_utf8_length(at, r->end)) > 0) {
        at += length;
    }
    return (size_t)(at - r->at);
}

/* Reads a string after its opening quote, and replaces the closing quote by a NUL. */
static gputune_status read_string(const char **out, gt_json_reader *r)
{
    char *to = r->at;
    *out = to;
    while (!take(r, '"')) {
        size_t length = plain_length(r);
        put(&to, r->at, length);
        r->at += length;
        if (take(r, '\\')) {
            GT_TRY(read_escape(&to, r));
        } else {
            EXPECT(length, "a character of UTF-8, or a closing quote");
        }
    }
    put(&to, "", 1);
    return GPUTUNE_OK;
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

static bool skip_digits(gt_json_reader *r)
{
    const char *from = r->at;
    while (isdigit((unsigned char)next_of(r))) {
        r->at++;
    }
    return r->at > from;
}

static bool skip_number(gt_json_reader *r)
{
    (void)take(r, '-');
    bool is_right = take(r, '0') || skip_digits(r);
    if (is_right && take(r, '.')) {
        is_right = skip_digits(r);
    }
    if (is_right && (take(r, 'e') || take(r, 'E'))) {
        (void)(take(r, '-') || take(r, '+'));
        is_right = skip_digits(r);
    }
    return is_right;
}

static gputune_status read_number(gt_json_reader *r, const char *name)
{
    char number[NUMBER_MAX + 1];
    const char *from = r->at;
    EXPECT(skip_number(r), "a digit");
    size_t length = (size_t)(r->at - from);
    GT_REFUSE(length > NUMBER_MAX, GPUTUNE_EINVAL,
              "a number has %zu characters; expected at most %d", length, NUMBER_MAX);
    memcpy(number, from, length);
    number[length] = '\0';
    errno = 0;
    const gt_json value = {GT_JSON_NUMBER, .name = name, .number = gt_strtod(number, NULL)};
    if (errno == ENOMEM) {
        return gt_fail_memory();
    }
    GT_REFUSE(errno == ERANGE && (value.number > 1 || value.number < -1), GPUTUNE_EINVAL,
              "the number %.40s is too large", number);
    return add(r, value);
}

static gputune_status read_word(gt_json_reader *r, const char *name)
{
    static const char *const words[] = {"null", "false", "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, words[i], length) == 0) {
            r->at += length;
            return add(
                r, (gt_json){i ? GT_JSON_BOOLEAN : GT_JSON_NULL, .name = name, .number = i == 2});
        }
    }
    return expected(r, "a value");
}

static gputune_status read_text(gt_json_reader *r, const char *name)
{
    gt_json value = {GT_JSON_TEXT, .name = name};
    GT_TRY(read_string(&value.text, r));
    return add(r, value);
}

/* ---- Containers ------------------------------------------------------------------------------ */

static gputune_status read_value(gt_json_reader *r, const char *name);

static gputune_status read_name(const char **name, gt_json_reader *r)
{
    EXPECT(take(r, '"'), "a name in quotes");
    GT_TRY(read_string(name, r));
    skip_blanks(r);
    EXPECT(take(r, ':'), "':'");
    return GPUTUNE_OK;
}

/* Reads the next member of a container. Returns ENOTFOUND at the end of the container. */
static gputune_status read_member(gt_json_reader *r, bool is_array, bool is_first)
{
    const bool is_kept = r->depth == KEPT_DEPTH;
    const char *name = NULL;
    skip_blanks(r);
    r->member = is_kept ? r->end : r->member;
    if (take(r, (char)(is_array ? ']' : '}'))) {
        return GPUTUNE_ENOTFOUND;
    }
    EXPECT(is_first || take(r, ','), is_array ? "',' or ']'" : "',' or '}'");
    skip_blanks(r);
    r->member = is_kept ? r->at : r->member;
    GT_TRY(is_array ? GPUTUNE_OK : read_name(&name, r));
    return read_value(r, name);
}

static gputune_status read_container(gt_json_reader *r, const char *name)
{
    const size_t place = r->out->count;
    const bool is_array = *r->at == '[';
    gputune_status status;
    size_t whole; /* number of values before the current member, which may be incomplete */
    GT_TRY(add(r, (gt_json){is_array ? GT_JSON_ARRAY : GT_JSON_OBJECT, .name = name}));
    GT_REFUSE(r->depth == DEPTH_MAX, GPUTUNE_EINVAL, "containers are nested more than %d deep",
              DEPTH_MAX);
    r->at++;
    r->depth++;
    do {
        whole = r->out->count;
        status = read_member(r, is_array, whole == place + 1);
    } while (status == GPUTUNE_OK);
    r->out->count = r->depth == KEPT_DEPTH ? whole : r->out->count;
    r->out->items[place].span = (uint32_t)(r->out->count - place);
    r->depth--;
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status read_value(gt_json_reader *r, const char *name)
{
    skip_blanks(r);
    char c = next_of(r);
    return c == '{' || c == '['                    ? read_container(r, name)
           : take(r, '"')                          ? read_text(r, name)
           : c == '-' || isdigit((unsigned char)c) ? read_number(r, name)
                                                   : read_word(r, name);
}

gputune_status gt_json_read(gt_json_reader *out, gt_json_list *list, char *text, size_t bytes)
{
    char *end = text + bytes;
    *out = (gt_json_reader){.at = text, .end = end, .line = 1, .out = list, .member = end};
    return read_value(out, NULL);
}

bool gt_json_is_cut(const gt_json_reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && (isalnum((unsigned char)*at) || (unsigned char)*at >= 0x80)) {
        at++;
    }
    return at == reader->end;
}

/* ---- What was read --------------------------------------------------------------------------- */

const gt_json *gt_json_after(const gt_json *in, const gt_json *last)
{
    const gt_json *next = !in ? NULL : last ? last + last->span : in + 1;
    return next && next < in + in->span ? next : NULL;
}

const gt_json *gt_json_member(const gt_json *object, const char *name)
{
    const gt_json *found = NULL;
    for (const gt_json *one = NULL; (one = gt_json_after(object, one)) != NULL;) {
        found = one->name && strcmp(one->name, name) == 0 ? one : found;
    }
    return found;
}

const char *gt_json_text(const gt_json *value)
{
    return value && value->kind == GT_JSON_TEXT ? value->text : NULL;
}
