/* An entry of wisdom as text: a line with the hash of its lines, then a line for each row, with
 * name=value for what is neither 0 nor empty. Further trials are "also" lines; a "code" line has an
 * image's bytes, and what zlib makes of them in base64. A name that is not known is left out, so
 * that an older gputune reads what a newer one wrote. */
#include "store/wisdom_parts.h"

#include "base/base64.h"
#include "base/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char gt_wisdom_heading[] = "# gputune wisdom 1";
static const char entry_word[] = "entry ";
static const char also_word[] = "also", code_word[] = "code", fallback_word[] = "fallback";
enum { IMAGE_MOST = 64 << 20 };

/* The lines of an entry. */
typedef struct part {
    const char *word;
    const gt_columns *columns;
    size_t offset;
} part;

static const part parts[] = {
    {"place", &gt_wisdom_columns, offsetof(gt_wisdom_entry, place)},
    {"winner", &gt_winner_columns, offsetof(gt_wisdom_entry, winner)},
    {"trial", &gt_trial_columns, offsetof(gt_wisdom_entry, trial)},
    {"default", &gt_trial_columns, offsetof(gt_wisdom_entry, standard)},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* ---- writing --------------------------------------------------------------------------------- */

static void write_string(gt_text *out, const char *value)
{
    gt_text_append(out, "\"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') {
            gt_text_append(out, "\\");
        }
        gt_text_append_bytes(out, *value == '\n' ? " " : value, 1);
    }
    gt_text_append(out, "\"");
}

static void write_column(gt_text *out, const gt_column *column, const void *row)
{
    char hex[GT_HASH_HEX];
    const gt_value value = gt_column_value(column, row);
    if (value.kind == GT_VALUE_HASH && (value.hash.high || value.hash.low)) {
        gt_text_printf(out, " %s=%s", column->name, gt_hash_hex(hex, value.hash));
    } else if (value.kind == GT_VALUE_TEXT && value.text &&
               (*value.text || column->kind == GT_COLUMN_OPTIONAL)) {
        gt_text_printf(out, " %s=", column->name);
        write_string(out, value.text);
    } else if (value.kind == GT_VALUE_INTEGER && value.integer) {
        gt_text_printf(out, " %s=%" PRId64, column->name, value.integer);
    } else if (value.kind == GT_VALUE_REAL && isfinite(value.real) &&
               fpclassify(value.real) != FP_ZERO) {
        gt_text_printf(out, " %s=%.17g", column->name, value.real);
    }
}

static void write_row(gt_text *out, const char *word, const gt_columns *columns, const void *row)
{
    gt_text_append(out, word);
    for (size_t c = 0; c < columns->count; c++) {
        write_column(out, &columns->items[c], row);
    }
    gt_text_append(out, "\n");
}

static void write_image(gt_text *out, const char *word, const gt_image *image)
{
    uLongf bytes = compressBound(image->bytes);
    Bytef *packed = image->bytes ? malloc(bytes) : NULL;
    if (!image->bytes) {
        return;
    }
    if (!packed || compress2(packed, &bytes, image->data, image->bytes, Z_BEST_COMPRESSION)) {
        out->failed = true;
    } else {
        gt_text_printf(out, "%s %zu ", word, image->bytes);
        gt_base64_append(out, packed, bytes);
        gt_text_append(out, "\n");
    }
    free(packed);
}

void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry)
{
    GT_SCOPED(gt_text_free) gt_text body = {0};
    char hex[GT_HASH_HEX];
    for (int i = 0; i < PARTS; i++) {
        write_row(&body, parts[i].word, parts[i].columns, (const char *)entry + parts[i].offset);
    }
    for (size_t i = 0; i < entry->also.count; i++) {
        write_row(&body, also_word, &gt_trial_columns, &entry->also.items[i]);
    }
    write_image(&body, code_word, &entry->winner.code.image);
    write_image(&body, fallback_word, &entry->winner.fallback.image);
    const gt_hash sum = gt_hash_bytes(gt_text_string(&body), body.length);
    gt_text_printf(out, "%s%s\n%s", entry_word, gt_hash_hex(hex, sum), gt_text_string(&body));
    out->failed |= body.failed;
}

/* ---- reading --------------------------------------------------------------------------------- */

static gputune_status mistake(const char *what)
{
    return gt_fail(GPUTUNE_ERECORDED, "%s", what);
}

static bool read_hash(gt_hash *out, const char *text, size_t length)
{
    uint64_t parts_of[2] = {0, 0};
    for (size_t i = 0; i < length; i++) {
        int digit = isdigit((unsigned char)text[i])    ? text[i] - '0'
                    : text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10
                                                       : -1;
        if (digit < 0 || i >= 32) {
            return false;
        }
        parts_of[i / 16] = parts_of[i / 16] << 4 | (uint64_t)digit;
    }
    *out = (gt_hash){parts_of[0], parts_of[1]};
    return length == 32;
}

/* The value up to its closing quote, without its backslashes; *at goes on behind it. */
static gputune_status read_string(char **out, const char **at, const char *end)
{
    gt_text text = {0};
    const char *c = *at + 1;
    while (c < end && *c != '"') {
        c += *c == '\\' && c + 1 < end;
        gt_text_append_bytes(&text, c++, 1);
    }
    if (c >= end) {
        gt_text_free(&text);
        return mistake("a text has no closing quote");
    }
    *at = c + 1;
    return gt_text_take(out, &text);
}

static gputune_status set_text(void *member, const gt_column *column, char *value)
{
    if (column->kind == GT_COLUMN_INPLACE) {
        size_t length = strlen(value);
        bool fits = length < column->bytes;
        if (fits) {
            memcpy(member, value, length + 1);
        }
        free(value);
        return fits ? GPUTUNE_OK : mistake("a text is too long");
    }
    free(*(char **)member); /* the last of several counts */
    *(char **)member = value;
    return GPUTUNE_OK;
}

/* A number: text up to the next blank, in a buffer of its own. */
static gputune_status set_number(void *row, const gt_column *column, const char *value)
{
    char *end;
    double real = gt_strtod(value, &end);
    if (end == value || *end || !isfinite(real)) {
        return mistake("a value is no number");
    }
    bool whole = real >= -2147483648.0 && real <= 4294967295.0;
    if (column->kind == GT_COLUMN_REAL) {
        *(double *)((char *)row + column->offset) = real;
    } else if (!whole || (column->kind != GT_COLUMN_COUNT && real > 2147483647.0) ||
               (column->kind == GT_COLUMN_COUNT && real < 0)) {
        return mistake("a number is too large");
    } else {
        gt_column_set_integer(row, column, (int64_t)real);
    }
    return GPUTUNE_OK;
}

static bool is_text(gt_column_kind kind)
{
    return kind == GT_COLUMN_TEXT || kind == GT_COLUMN_OPTIONAL || kind == GT_COLUMN_INPLACE;
}

/* Reads the value at *at into the column (NULL: it is left out); *at goes on behind it. */
static gputune_status read_value(void *row, const gt_column *column, const char **at,
                                 const char *end)
{
    char *text, number[64];
    if (**at == '"') {
        GT_TRY(read_string(&text, at, end));
        if (column && is_text(column->kind)) {
            return set_text((char *)row + column->offset, column, text);
        }
        free(text);
        return column ? mistake("a text where a number should be") : GPUTUNE_OK;
    }
    size_t length = 0;
    while (*at + length < end && (*at)[length] != ' ') {
        length++;
    }
    const char *value = *at;
    *at += length;
    if (!column) {
        return GPUTUNE_OK;
    }
    if (is_text(column->kind) || length >= sizeof number) {
        return mistake("a number where a text should be");
    }
    memcpy(number, value, length);
    number[length] = '\0';
    if (column->kind != GT_COLUMN_HASH) {
        return set_number(row, column, number);
    }
    return read_hash((gt_hash *)((char *)row + column->offset), number, length)
               ? GPUTUNE_OK
               : mistake("a value is no hash");
}

static const gt_column *find_column(const gt_columns *columns, const char *name, size_t length)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (strlen(columns->items[i].name) == length &&
            memcmp(columns->items[i].name, name, length) == 0) {
            return &columns->items[i];
        }
    }
    return NULL;
}

static gputune_status read_pairs(void *row, const gt_columns *columns, const char *at,
                                 const char *end)
{
    while (at < end) {
        if (*at == ' ') {
            at++;
            continue;
        }
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals || equals + 1 >= end) {
            return mistake("a name has no value");
        }
        const gt_column *column = find_column(columns, at, (size_t)(equals - at));
        at = equals + 1;
        GT_TRY(read_value(row, column, &at, end));
    }
    return GPUTUNE_OK;
}

/* A NUL follows the image, beyond its bytes. */
static gputune_status read_image(gt_image *out, const char *at, const char *end)
{
    char *text, *data = NULL;
    void *packed = NULL;
    size_t count;
    unsigned long long bytes = strtoull(at, &text, 10);
    bool right = *text == ' ' && bytes > 0 && bytes <= IMAGE_MOST &&
                 gt_base64_read(&packed, &count, text + 1, (size_t)(end - text - 1));
    uLongf unpacked = (uLongf)bytes;
    data = right ? malloc((size_t)bytes + 1) : NULL;
    right = data && uncompress((Bytef *)data, &unpacked, packed, count) == Z_OK &&
            unpacked == (uLongf)bytes;
    free(packed);
    if (!right || out->data) {
        free(data);
        return mistake("an image of code cannot be read");
    }
    data[bytes] = '\0';
    *out = (gt_image){data, (size_t)bytes};
    return GPUTUNE_OK;
}

static gputune_status read_other(gt_wisdom_entry *entry, const char *at, const char *end)
{
    gt_trial trial;
    memset(&trial, 0, sizeof trial);
    gputune_status status = read_pairs(&trial, &gt_trial_columns, at, end);
    GT_THEN(status, gt_array_push(&entry->also, trial));
    if (status != GPUTUNE_OK) {
        gt_columns_free(&trial, &gt_trial_columns);
    }
    return status;
}

static bool begins_with(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - line) >= length && memcmp(line, word, length) == 0 &&
           (line + length == end || line[length] == ' ');
}

/* A line whose first word is not known is left out. */
static gputune_status read_part(gt_wisdom_entry *entry, const char *line, const char *end)
{
    const char *rest = line + strcspn(line, " \n");
    for (int i = 0; i < PARTS; i++) {
        if (begins_with(line, end, parts[i].word)) {
            return read_pairs((char *)entry + parts[i].offset, parts[i].columns, rest, end);
        }
    }
    return begins_with(line, end, also_word)   ? read_other(entry, rest, end)
           : begins_with(line, end, code_word) ? read_image(&entry->winner.code.image, rest, end)
           : begins_with(line, end, fallback_word)
               ? read_image(&entry->winner.fallback.image, rest, end)
               : GPUTUNE_OK;
}

static gputune_status read_body(gt_wisdom_entry *entry, const char *body, const char *end)
{
    while (body < end) {
        const char *line_end = memchr(body, '\n', (size_t)(end - body));
        line_end = line_end ? line_end : end;
        GT_TRY(read_part(entry, body, line_end));
        body = line_end + (line_end < end);
    }
    return GPUTUNE_OK;
}

/* The lines up to the next entry or the end. */
static const char *find_end(const char *body)
{
    while (*body && strncmp(body, entry_word, strlen(entry_word)) != 0) {
        body += strcspn(body, "\n");
        body += *body == '\n';
    }
    return body;
}

void gt_wisdom_entry_free(gt_wisdom_entry *entry)
{
    gt_columns_free(&entry->place, &gt_wisdom_columns);
    gt_columns_free(&entry->trial, &gt_trial_columns);
    gt_columns_free(&entry->standard, &gt_trial_columns);
    for (size_t i = 0; i < entry->also.count; i++) {
        gt_columns_free(&entry->also.items[i], &gt_trial_columns);
    }
    gt_array_free(&entry->also);
    gt_winner_free(&entry->winner);
}

gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text)
{
    gt_wisdom_entry entry;
    gt_hash sum;
    memset(&entry, 0, sizeof entry);
    const char *head = find_end(*text);
    if (!*head) {
        *text = head;
        return GPUTUNE_ENOTFOUND;
    }
    const char *hex = head + strlen(entry_word), *body = hex + strcspn(hex, "\n");
    bool signed_so = read_hash(&sum, hex, (size_t)(body - hex));
    body += *body == '\n';
    const char *end = find_end(body);
    *text = end;
    if (!signed_so || !gt_hash_equal(sum, gt_hash_bytes(body, (size_t)(end - body)))) {
        return mistake("an entry was changed since it was written, or is cut short");
    }
    gputune_status status = read_body(&entry, body, end);
    return GT_GIVE(status, out, entry, gt_wisdom_entry_free(&entry));
}
