/* Converts between rows of tables and structs, using the lists in columns.h. */
#pragma once

#include "store/store.h"

#include <sqlite3.h>

typedef enum gt_column_kind {
    GT_COLUMN_HASH,
    GT_COLUMN_TEXT,     /* char *, owned; NULL is stored as "" */
    GT_COLUMN_OPTIONAL, /* char *, owned; may be NULL */
    GT_COLUMN_INPLACE,  /* char[] */
    GT_COLUMN_INTEGER,  /* int or an enum */
    GT_COLUMN_STATUS,   /* gt_trial_status, shown as its name */
    GT_COLUMN_COUNT,    /* uint32_t */
    GT_COLUMN_BOOL,
    GT_COLUMN_REAL /* double */
} gt_column_kind;

typedef struct gt_column {
    gt_column_kind kind;
    const char *name;
    size_t offset, bytes; /* offset and size of the member of the struct */
    size_t shown;         /* offset of the member of gputune_record; 0: not shown */
} gt_column;

typedef struct gt_columns {
    const gt_column *items;
    size_t count;
} gt_columns;

/* A record with the values by which records are sorted and compared. */
typedef struct gt_record_row {
    gputune_record record;
    gt_site site;
    char scenario_hex[GT_HASH_HEX], identity_hex[GT_HASH_HEX];
    gt_trial_status default_status; /* status of the default's trial; -1: no trial */
    double volume;
    int winner_order; /* larger for winners that were stored later */
    bool superseded;  /* true if the filter's one_version leaves the row out */
    bool left_out;
    gt_trial trial;
    gt_winner winner;
} gt_record_row;

extern const gt_columns gt_trial_columns, gt_winner_columns, gt_rule_columns, gt_code_columns,
    gt_site_columns, gt_record_columns;

typedef struct gt_row_value {
    enum { GT_VALUE_HASH, GT_VALUE_TEXT, GT_VALUE_INTEGER, GT_VALUE_REAL } kind;
    gt_hash hash;
    const char *text; /* owned by the row; may be NULL */
    int64_t integer;
    double real;
} gt_row_value;

gt_row_value gt_column_value(const gt_column *column, const void *row);
/* Copies a value to the member of a column. Truncates a text that does not fit an array. Fails only
 * with ENOMEM. */
gputune_status gt_column_set(void *row, const gt_column *column, const gt_row_value *value);

/* Binds the parameters of a statement. `types` has a letter for each: t const char * (may be NULL),
 * h gt_hash, i int64_t, n int, d double, b const void * and size_t. The letter c binds a whole row;
 * its values are a const gt_columns * and a pointer to the row. Returns SQLite's code. */
int gt_bind(sqlite3_stmt *statement, const char *types, va_list values);

/* The rows of a running statement. Columns are read from left to right. */
typedef struct gt_rows {
    struct gt_database *database;
    sqlite3_stmt *statement;
    int column;
} gt_rows;
/* Read the next column. Texts and blobs are valid until the next row. Texts are never NULL. */
int64_t gt_rows_integer(gt_rows *rows);
double gt_rows_real(gt_rows *rows);
const char *gt_rows_text(gt_rows *rows);
gt_hash gt_rows_hash(gt_rows *rows);
const void *gt_rows_blob(gt_rows *rows, size_t *bytes);

/* Reads the next columns into *row, which must have been zeroed. The caller frees *row with
 * gt_columns_free(), even after a failure. */
gputune_status gt_columns_take(void *row, gt_rows *rows, const gt_columns *columns);
/* Frees the texts of a row. */
void gt_columns_free(void *row, const gt_columns *columns);
/* Copies the columns that users see to *record. Its texts still belong to the row. */
void gt_columns_show(gputune_record *record, const gt_columns *columns, const void *row);

/* Registers the SQL functions gt_checksum() and gt_sizes_match(). Returns SQLite's code.
 *
 * gt_checksum(value, ...) hashes the types and the bytes of its arguments. It shows that a row was
 * damaged after it was written, but does not protect against an attacker. gt_sizes_match() calls
 * the function of base/selection.h, so rows of other sizes need not be read. */
int gt_functions_register(sqlite3 *handle);
