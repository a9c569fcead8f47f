/* Binds and reads rows as described by lists of columns. */
#include "store/row.h"

#include "base/selection.h"
#include "base/text.h"

#include <endian.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN(member) offsetof(gputune_record, member)
#define HIDDEN        0
#define COLUMN(kind, name, member, shown)                                                          \
    {GT_COLUMN_##kind, #name, offsetof(ROW, member), sizeof(((ROW *)0)->member), shown},
#define COLUMNS(list)                                                                              \
    {                                                                                              \
        (const gt_column[]){list(COLUMN)}, sizeof((gt_column[]){list(COLUMN)}) / sizeof(gt_column) \
    }

#define ROW gt_trial
const gt_columns gt_trial_columns = COLUMNS(GT_TRIAL_COLUMNS);
#undef ROW
#define ROW gt_winner
const gt_columns gt_winner_columns = COLUMNS(GT_WINNER_COLUMNS);
#undef ROW
#define ROW gt_stored_rule
const gt_columns gt_rule_columns = COLUMNS(GT_RULE_COLUMNS);
#undef ROW
#define ROW gt_code
const gt_columns gt_code_columns = COLUMNS(GT_CODE_COLUMNS);
#undef ROW
#define ROW gt_site
const gt_columns gt_site_columns = COLUMNS(GT_SITE_COLUMNS);
#undef ROW
#define ROW gt_record_row
const gt_columns gt_record_columns = COLUMNS(GT_RECORD_COLUMNS);
#undef ROW

/* A hash as stored in the file. It is big-endian, so files are equal on all machines. */
typedef struct stored_hash {
    uint64_t high, low;
} stored_hash;

static stored_hash store_hash(gt_hash hash)
{
    return (stored_hash){htobe64(hash.high), htobe64(hash.low)};
}

static int bind_hash(sqlite3_stmt *statement, int index, gt_hash hash)
{
    const stored_hash stored = store_hash(hash);
    return sqlite3_bind_blob(statement, index, &stored, sizeof stored, SQLITE_TRANSIENT);
}

static int bind_real(sqlite3_stmt *statement, int index, double value)
{
    /* SQLite stores NaN as NULL and -0 as 0, so the checksum would be wrong */
    return sqlite3_bind_double(statement, index, isnan(value) ? 0 : value + 0.0);
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

#define AS(type) (*(const type *)member)

gt_row_value gt_column_value(const gt_column *column, const void *row)
{
    const void *member = (const char *)row + column->offset;
    switch (column->kind) {
    case GT_COLUMN_HASH:
        return (gt_row_value){GT_VALUE_HASH, .hash = AS(gt_hash)};
    case GT_COLUMN_TEXT:
        return (gt_row_value){GT_VALUE_TEXT, .text = AS(char *) ? AS(char *) : ""};
    case GT_COLUMN_OPTIONAL:
        return (gt_row_value){GT_VALUE_TEXT, .text = AS(char *)};
    case GT_COLUMN_INPLACE:
        return (gt_row_value){GT_VALUE_TEXT, .text = member};
    case GT_COLUMN_INTEGER:
    case GT_COLUMN_STATUS:
        return (gt_row_value){GT_VALUE_INTEGER, .integer = AS(int)};
    case GT_COLUMN_COUNT:
        return (gt_row_value){GT_VALUE_INTEGER, .integer = AS(uint32_t)};
    case GT_COLUMN_BOOL:
        return (gt_row_value){GT_VALUE_INTEGER, .integer = AS(bool)};
    default:
        return (gt_row_value){GT_VALUE_REAL, .real = AS(double)};
    }
}

gputune_status gt_column_set(void *row, const gt_column *column, const gt_row_value *value)
{
    void *member = (char *)row + column->offset;
    switch (column->kind) {
    case GT_COLUMN_HASH:
        *(gt_hash *)member = value->hash;
        break;
    case GT_COLUMN_TEXT:
    case GT_COLUMN_OPTIONAL:
        free(*(char **)member);
        *(char **)member = NULL;
        return value->text ? gt_strdup(member, value->text) : GPUTUNE_OK;
    case GT_COLUMN_INPLACE:
        snprintf(member, column->bytes, "%s", value->text);
        break;
    case GT_COLUMN_REAL:
        *(double *)member = value->real;
        break;
    case GT_COLUMN_COUNT:
        *(uint32_t *)member = (uint32_t)value->integer;
        break;
    case GT_COLUMN_BOOL:
        *(bool *)member = value->integer != 0;
        break;
    default:
        *(int *)member = (int)value->integer;
    }
    return GPUTUNE_OK;
}

static int bind_value(sqlite3_stmt *statement, int index, gt_row_value value)
{
    switch (value.kind) {
    case GT_VALUE_HASH:
        return bind_hash(statement, index, value.hash);
    case GT_VALUE_TEXT:
        return bind_text(statement, index, value.text);
    case GT_VALUE_INTEGER:
        return sqlite3_bind_int64(statement, index, value.integer);
    default:
        return bind_real(statement, index, value.real);
    }
}

int gt_bind(sqlite3_stmt *statement, const char *types, va_list values)
{
    int code = SQLITE_OK;
    int index = 1;
    for (; *types && code == SQLITE_OK; types++) {
        const void *pointer;
        const gt_columns *columns;
        switch (*types) {
        case 't':
            code = bind_text(statement, index++, va_arg(values, const char *));
            break;
        case 'h':
            code = bind_hash(statement, index++, va_arg(values, gt_hash));
            break;
        case 'i':
            code = sqlite3_bind_int64(statement, index++, va_arg(values, int64_t));
            break;
        case 'n':
            code = sqlite3_bind_int(statement, index++, va_arg(values, int));
            break;
        case 'd':
            code = bind_real(statement, index++, va_arg(values, double));
            break;
        case 'b':
            pointer = va_arg(values, const void *);
            code = sqlite3_bind_blob64(statement, index++, pointer, va_arg(values, size_t),
                                       SQLITE_STATIC);
            break;
        default: /* c */
            columns = va_arg(values, const gt_columns *);
            pointer = va_arg(values, const void *);
            for (size_t i = 0; i < columns->count && code == SQLITE_OK; i++) {
                code = bind_value(statement, index++, gt_column_value(&columns->items[i], pointer));
            }
        }
    }
    return code;
}

int64_t gt_rows_integer(gt_rows *rows)
{
    return sqlite3_column_int64(rows->statement, rows->column++);
}

double gt_rows_real(gt_rows *rows)
{
    return sqlite3_column_double(rows->statement, rows->column++);
}

const char *gt_rows_text(gt_rows *rows)
{
    const char *text = (const char *)sqlite3_column_text(rows->statement, rows->column++);
    return text ? text : "";
}

const void *gt_rows_blob(gt_rows *rows, size_t *bytes)
{
    const void *blob = sqlite3_column_blob(rows->statement, rows->column);
    *bytes = (size_t)sqlite3_column_bytes(rows->statement, rows->column++);
    return blob;
}

gt_hash gt_rows_hash(gt_rows *rows)
{
    size_t bytes;
    stored_hash stored = {0};
    const void *blob = gt_rows_blob(rows, &bytes);
    if (bytes == sizeof stored) {
        memcpy(&stored, blob, sizeof stored);
    }
    return (gt_hash){be64toh(stored.high), be64toh(stored.low)};
}

static gt_row_value take_value(gt_rows *rows, gt_column_kind kind)
{
    const bool is_null = kind == GT_COLUMN_OPTIONAL &&
                         sqlite3_column_type(rows->statement, rows->column) == SQLITE_NULL;
    gt_row_value value = {.text = NULL};
    if (kind == GT_COLUMN_HASH) {
        value.hash = gt_rows_hash(rows);
    } else if (kind == GT_COLUMN_TEXT || kind == GT_COLUMN_OPTIONAL || kind == GT_COLUMN_INPLACE) {
        value.text = gt_rows_text(rows);
        value.text = is_null ? NULL : value.text;
    } else if (kind == GT_COLUMN_REAL) {
        value.real = gt_rows_real(rows);
    } else {
        value.integer = gt_rows_integer(rows);
    }
    return value;
}

gputune_status gt_columns_take(void *row, gt_rows *rows, const gt_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const gt_row_value value = take_value(rows, columns->items[i].kind);
        GT_TRY(gt_column_set(row, &columns->items[i], &value));
    }
    return GPUTUNE_OK;
}

void gt_columns_free(void *row, const gt_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const gt_column *column = &columns->items[i];
        if (column->kind == GT_COLUMN_TEXT || column->kind == GT_COLUMN_OPTIONAL) {
            char **text = (char **)((char *)row + column->offset);
            free(*text);
            *text = NULL;
        }
    }
}

void gt_columns_show(gputune_record *record, const gt_columns *columns, const void *row)
{
    for (size_t i = 0; i < columns->count; i++) {
        const gt_column *column = &columns->items[i];
        const void *member = (const char *)row + column->offset;
        void *out = (char *)record + column->shown;
        if (column->shown && column->kind == GT_COLUMN_STATUS) {
            *(const char **)out = gt_trial_status_name(AS(gt_trial_status));
        } else if (column->shown) {
            memcpy(out, member, column->bytes);
        }
    }
}

static gt_hash hash_value(sqlite3_value *value)
{
    int64_t integer;
    double real;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        integer = sqlite3_value_int64(value);
        return gt_hash_bytes(&integer, sizeof integer);
    case SQLITE_FLOAT:
        real = sqlite3_value_double(value);
        return gt_hash_bytes(&real, sizeof real);
    case SQLITE_NULL:
        return (gt_hash){0};
    default: { /* getting the pointer may convert the value and change its size */
        /* NULL if the value is empty or memory has run out */
        const void *bytes = sqlite3_value_blob(value);
        return bytes ? gt_hash_bytes(bytes, (size_t)sqlite3_value_bytes(value)) : (gt_hash){0};
    }
    }
}

static void checksum(sqlite3_context *context, int count, sqlite3_value **values)
{
    gt_hash sum = {0};
    for (int i = 0; i < count; i++) {
        const gt_hash type = {0, (uint64_t)sqlite3_value_type(values[i])};
        sum = gt_hash_join(gt_hash_join(sum, type), hash_value(values[i]));
    }
    const stored_hash stored = store_hash(sum);
    sqlite3_result_blob(context, &stored, sizeof stored, SQLITE_TRANSIENT);
}

static void sizes_match(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *sizes = (const char *)sqlite3_value_text(values[0]);
    const char *wanted = (const char *)sqlite3_value_text(values[1]);
    if (!sizes || !wanted) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_int(context, gt_sizes_match(sizes, wanted, false));
}

int gt_functions_register(sqlite3 *handle)
{
    static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int code =
        sqlite3_create_function(handle, "gt_checksum", -1, flags, NULL, checksum, NULL, NULL);
    return code ? code
                : sqlite3_create_function(handle, "gt_sizes_match", 2, flags, NULL, sizes_match,
                                          NULL, NULL);
}
