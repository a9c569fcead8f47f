/* Reads JSON: a value by its first character, containers by recursion; or steps through the members
 * of a container, whose values stay text. */
#include "api/json.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { DEPTH_MAX = 100, NUMBER_MAX = 400 /* characters; the longest plain double has 330 */ };

static gputune_status parse_value(json_t **out, gt_json_scan *p);

/* ---- Characters ------------------------------------------------------------------------------ */

static char next_of(const gt_json_scan *p)
{
    return (char)(p->at < p->end ? *p->at : '\0');
}

static void skip_blanks(gt_json_scan *p)
{
    for (; p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at; p->at++) {
        p->line += *p->at == '\n';
    }
}

static bool take(gt_json_scan *p, char c)
{
    bool is_there = p->at < p->end && *p->at == c;
    p->at += is_there;
    return is_there;
}

static gputune_status expected(const gt_json_scan *p, const char *what)
{
    int length = 0;
    while (p->at + length < p->end && length < 24 && isgraph((unsigned char)p->at[length]) &&
           !(length && strchr(",:]}", p->at[length]))) {
        length++;
    }
    return p->at == p->end ? gt_fail(GPUTUNE_EINVAL, "the text ends; expected %s", what)
                           : gt_fail(GPUTUNE_EINVAL, "found '%.*s'; expected %s",
                                     length ? length : 1, p->at, what);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static void append_utf8(gt_text *out, uint32_t c)
{
    char bytes[4];
    int count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = count - 1; i > 0; i--, c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3f));
    }
    bytes[0] = (char)(first[count] | c);
    gt_text_append_bytes(out, bytes, (size_t)count);
}

/* Reads the four hexadecimal digits of a UTF-16 unit. */
static bool read_unit(uint32_t *out, gt_json_scan *p)
{
    uint32_t unit = 0;
    if (p->end - p->at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, tolower((unsigned char)p->at[i]));
        if (!digit || !*digit) {
            return false;
        }
        unit = unit << 4 | (uint32_t)(digit - digits);
    }
    p->at += 4;
    *out = unit;
    return true;
}

/* Reads the character behind \u, of one UTF-16 unit or two. U+0000 is refused, because it would end
 * the text. */
static gputune_status parse_units(gt_text *out, gt_json_scan *p)
{
    uint32_t high, low;
    bool is_right = read_unit(&high, p) && high != 0 && (high & 0xfc00) != 0xdc00;
    if (is_right && (high & 0xfc00) == 0xd800) {
        is_right = take(p, '\\') && take(p, 'u') && read_unit(&low, p) && (low & 0xfc00) == 0xdc00;
        high = is_right ? 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff) : 0;
    }
    if (!is_right) {
        return expected(p, "the four digits of a character behind \\u");
    }
    append_utf8(out, high);
    return GPUTUNE_OK;
}

static gputune_status parse_escape(gt_text *out, gt_json_scan *p)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name = next_of(p) ? strchr(names, *p->at) : NULL;
    if (take(p, 'u')) {
        return parse_units(out, p);
    }
    if (!name) {
        return expected(p, "one of \"\\/bfnrtu behind a backslash");
    }
    p->at++;
    gt_text_append_bytes(out, &values[name - names], 1);
    return GPUTUNE_OK;
}

/* The number of bytes that follow of characters that stand for themselves. */
static size_t plain_length(const gt_json_scan *p)
{
    const char *at = p->at;
    int length;
    while (at < p->end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\' &&
           (length = gt_utf8_length(at, p->end)) > 0) {
        at += length;
    }
    return (size_t)(at - p->at);
}

/* Reads a string from behind its opening quote to behind the closing one. */
static gputune_status parse_characters(gt_text *out, gt_json_scan *p)
{
    while (!take(p, '"')) {
        size_t length = plain_length(p);
        gt_text_append_bytes(out, p->at, length);
        p->at += length;
        if (take(p, '\\')) {
            GT_TRY(parse_escape(out, p));
        } else if (length == 0) {
            return expected(p, "a character of UTF-8, or a closing quote");
        }
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

static gputune_status made(json_t **out, json_t *value)
{
    *out = value;
    return gt_allocated(value);
}

static gputune_status parse_text(json_t **out, gt_json_scan *p)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(parse_characters(&text, p));
    return made(out, json_stringn_nocheck(gt_text_string(&text), text.length));
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

static bool skip_digits(gt_json_scan *p)
{
    const char *from = p->at;
    while (isdigit((unsigned char)next_of(p))) {
        p->at++;
    }
    return p->at > from;
}

/* Steps over a number; *is_whole: it has neither fraction nor exponent. */
static bool skip_number(bool *is_whole, gt_json_scan *p)
{
    (void)take(p, '-');
    bool is_right = take(p, '0') || skip_digits(p);
    *is_whole = true;
    if (is_right && take(p, '.')) {
        *is_whole = false;
        is_right = skip_digits(p);
    }
    if (is_right && (take(p, 'e') || take(p, 'E'))) {
        *is_whole = false;
        (void)(take(p, '-') || take(p, '+'));
        is_right = skip_digits(p);
    }
    return is_right;
}

static gputune_status parse_number(json_t **out, gt_json_scan *p)
{
    char number[NUMBER_MAX + 1];
    const char *from = p->at;
    bool is_whole;
    if (!skip_number(&is_whole, p)) {
        return expected(p, "a digit");
    }
    size_t length = (size_t)(p->at - from);
    if (length > NUMBER_MAX) {
        return gt_fail(GPUTUNE_EINVAL, "a number has %zu characters; expected at most %d", length,
                       NUMBER_MAX);
    }
    memcpy(number, from, length);
    number[length] = '\0';
    errno = 0;
    long long integer = is_whole ? strtoll(number, NULL, 10) : 0;
    double real = is_whole ? 0 : gt_strtod(number, NULL);
    if (errno == ENOMEM) {
        return gt_fail_memory();
    }
    if (errno == ERANGE && (is_whole || real > 1 || real < -1)) {
        return gt_fail(GPUTUNE_EINVAL, "the number %.40s is too large", number);
    }
    return made(out, is_whole ? json_integer(integer) : json_real(real));
}

static gputune_status parse_word(json_t **out, gt_json_scan *p)
{
    static const char *const words[] = {"null", "false", "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[i], length) == 0) {
            p->at += length;
            *out = i == 0 ? json_null() : json_boolean(i == 2);
            return GPUTUNE_OK;
        }
    }
    return expected(p, "a value");
}

/* ---- Containers ------------------------------------------------------------------------------ */

static gputune_status parse_item(json_t *array, gt_json_scan *p)
{
    json_t *item = NULL;
    GT_TRY(parse_value(&item, p));
    return json_array_append_new(array, item) == 0 ? GPUTUNE_OK : gt_fail_memory();
}

static gputune_status parse_named(json_t *object, const char *name, gt_json_scan *p)
{
    json_t *value = NULL;
    skip_blanks(p);
    if (!take(p, ':')) {
        return expected(p, "':'");
    }
    GT_TRY(parse_value(&value, p));
    return json_object_set_new_nocheck(object, name, value) == 0 ? GPUTUNE_OK : gt_fail_memory();
}

static gputune_status parse_member(json_t *object, gt_json_scan *p)
{
    GT_SCOPED(gt_text_free) gt_text name = {0};
    skip_blanks(p);
    if (!take(p, '"')) {
        return expected(p, "a name in quotes");
    }
    GT_TRY(parse_characters(&name, p));
    return parse_named(object, gt_text_string(&name), p);
}

/* Reads a container from behind its opening bracket to behind the closing one. */
static gputune_status parse_container(json_t *container, gt_json_scan *p)
{
    const bool is_array = json_is_array(container);
    const char closing = is_array ? ']' : '}';
    skip_blanks(p);
    if (take(p, closing)) {
        return GPUTUNE_OK;
    }
    do {
        GT_TRY(is_array ? parse_item(container, p) : parse_member(container, p));
        skip_blanks(p);
    } while (take(p, ','));
    return take(p, closing) ? GPUTUNE_OK : expected(p, is_array ? "',' or ']'" : "',' or '}'");
}

static gputune_status open_container(json_t **out, gt_json_scan *p, json_t *container)
{
    GT_TRY(made(out, container));
    p->depth++;
    gputune_status status =
        p->depth > DEPTH_MAX
            ? gt_fail(GPUTUNE_EINVAL, "containers are nested more than %d deep", DEPTH_MAX)
            : parse_container(container, p);
    p->depth--;
    if (status != GPUTUNE_OK) {
        json_decref(container);
    }
    return status;
}

static gputune_status parse_value(json_t **out, gt_json_scan *p)
{
    skip_blanks(p);
    if (take(p, '{')) {
        return open_container(out, p, json_object());
    }
    if (take(p, '[')) {
        return open_container(out, p, json_array());
    }
    if (take(p, '"')) {
        return parse_text(out, p);
    }
    return next_of(p) == '-' || isdigit((unsigned char)next_of(p)) ? parse_number(out, p)
                                                                   : parse_word(out, p);
}

gputune_status gt_json_parse(json_t **out, int *line, const char *text, size_t bytes)
{
    gt_json_scan p = {text, text + bytes, 1, 0};
    json_t *value = NULL;
    gputune_status status = parse_value(&value, &p);
    if (status == GPUTUNE_OK) {
        skip_blanks(&p);
        if (p.at < p.end) {
            json_decref(value);
            status = expected(&p, "the text's end");
        }
    }
    *line = p.line;
    if (status == GPUTUNE_OK) {
        *out = value;
    }
    return status;
}

/* ---- Members as text ------------------------------------------------------------------------- */

/* Skips a string from behind its opening quote to behind the closing one; false if the text ends
 * before. */
static bool skip_string(gt_json_scan *p)
{
    for (; p->at < p->end; p->at++) {
        if (take(p, '"')) {
            return true;
        }
        p->line += *p->at == '\n';
        p->at += *p->at == '\\' && p->at + 1 < p->end;
    }
    return false;
}

/* Skips a container to behind its closing brace or bracket. */
static bool skip_container(gt_json_scan *p)
{
    int depth = 0;
    while (p->at < p->end) {
        char c = *p->at++;
        p->line += c == '\n';
        if (c == '"' && !skip_string(p)) {
            return false;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth == 0) {
            return true;
        }
    }
    return false;
}

static bool skip_value(gt_json_scan *p)
{
    if (next_of(p) == '{' || next_of(p) == '[') {
        return skip_container(p);
    }
    if (take(p, '"')) {
        return skip_string(p);
    }
    while (p->at < p->end && !strchr(",}] \t\r\n", *p->at)) {
        p->at++;
    }
    return p->at < p->end;
}

/* Skips from behind the opening quote of a member's name to the member's value. */
static gt_json_step skip_name(gt_json_scan *p, gt_json_piece *out)
{
    const char *from = p->at;
    if (!skip_string(p)) {
        return GT_JSON_CUT;
    }
    out->key = from;
    out->key_length = (size_t)(p->at - 1 - from);
    skip_blanks(p);
    if (p->at == p->end) {
        return GT_JSON_CUT;
    }
    if (!take(p, ':')) {
        return GT_JSON_BAD;
    }
    skip_blanks(p);
    return GT_JSON_MEMBER;
}

bool gt_json_enter(gt_json_scan *scan)
{
    skip_blanks(scan);
    return take(scan, '{') || take(scan, '[');
}

gt_json_step gt_json_next(gt_json_scan *scan, gt_json_piece *out)
{
    gt_json_step step = GT_JSON_MEMBER;
    skip_blanks(scan);
    if (take(scan, ',')) {
        skip_blanks(scan);
    }
    if (scan->at == scan->end) {
        return GT_JSON_CUT;
    }
    if (take(scan, '}') || take(scan, ']')) {
        return GT_JSON_END;
    }
    *out = (gt_json_piece){.text = scan->at, .line = scan->line};
    if (take(scan, '"') && (step = skip_name(scan, out)) != GT_JSON_MEMBER) {
        return step;
    }
    out->text = scan->at;
    out->line = scan->line;
    bool whole = skip_value(scan);
    out->length = (size_t)(scan->at - out->text);
    return !whole ? GT_JSON_CUT : out->length ? GT_JSON_MEMBER : GT_JSON_BAD;
}

gt_json_scan gt_json_inside(const gt_json_piece *piece)
{
    return (gt_json_scan){piece->text, piece->text + piece->length, piece->line, 0};
}
