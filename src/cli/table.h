/* Tables, which are described by their columns and written as text, JSON or CSV. */
#pragma once

#include <gputune_tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_format_kind { CLI_FORMAT_TABLE, CLI_FORMAT_JSON, CLI_FORMAT_CSV } cli_format_kind;
/* The choices of --format, in the order of the enumeration, followed by NULL. */
extern const char *const cli_format_words[];

/* Types of columns, and their format in text. JSON and CSV have plain numbers in base units. */
typedef enum cli_unit {
    /* words, aligned to the left */
    CLI_TEXT,      /* const char * */
    CLI_CHARS,     /* char[] */
    CLI_OBJECTIVE, /* gputune_objective, shown by name */
    CLI_CACHE,     /* gputune_cache, shown by name */
    CLI_STATUS,    /* const char *, coloured by its first word: "ok", "slower", "wrong: ..." */
    CLI_VERSION,   /* int, "13.0" for 13000; 0: no version */
    CLI_CERTAINTY, /* gputune_certainty, "exact", "about" or "at most" */
    CLI_SIZES,     /* const char *, with round numbers shortened */
    /* figures */
    CLI_FIGURE,     /* const char *, a formatted number */
    CLI_YES,        /* bool */
    CLI_COUNT,      /* uint32_t */
    CLI_SOME_COUNT, /* uint32_t, 0: unknown */
    CLI_BIG_COUNT,  /* uint64_t */
    CLI_WHOLE,      /* int */
    CLI_BYTES,      /* int64_t */
    CLI_TIME,       /* double, nanoseconds, or nanojoules if the objective is energy; 0: unknown */
    CLI_DURATION,   /* double, nanoseconds for every objective; 0: unknown */
    CLI_RATE,       /* double, bytes per second; 0: unknown */
    CLI_FLOPS,      /* double, operations per second; 0: unknown */
    CLI_SHARE,      /* double, "95.9%"; 0: unknown */
    CLI_SOME_REAL,  /* double; 0: unknown */
    CLI_REAL        /* double */
} cli_unit;

/* Bits that decide where a column appears. A view is a set of bits from CLI_VIEW on, and has the
 * columns that have one of these bits. A text table has the columns of its view. JSON and CSV have
 * all CLI_IN_DATA columns, and those CLI_IN_ITS_DATA columns that are in the view. If the terminal
 * is narrow, CLI_SPARE columns are left out. */
enum {
    CLI_IN_DATA = 1,
    CLI_IN_ITS_DATA = 2,
    CLI_SPARE = 4,
    CLI_VIEW = 8
}; /* a program defines further views as CLI_VIEW << 1 and so on */

typedef struct cli_column {
    const char *key;   /* name in JSON and CSV */
    const char *title; /* title in tables */
    cli_unit unit;
    unsigned where;
    size_t offset; /* offset of the member in the row's item */
} cli_column;

typedef struct cli_table {
    const char *name; /* name of the table in JSON */
    const cli_column *columns;
    size_t column_count, item_bytes;
    void **rows; /* copies of the structs that the rows show */
    size_t row_count;
    unsigned view;
} cli_table;

/* Appends a row, copying `item` and the texts that columns show. Returns the copy. */
void *cli_table_add(cli_table *table, const void *item);
/* Initialises an empty table for items of this type. */
#define CLI_TABLE(name, columns, type, view)                                                       \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof *(columns), sizeof(type), NULL, 0, view            \
    }
/* A column that shows a member of the item. CLI_FIELD uses the member's name as the key. */
#define CLI_AS(key, type, member, title, unit, where)                                              \
    {                                                                                              \
        key, title, unit, where, offsetof(type, member)                                            \
    }
#define CLI_FIELD(type, member, title, unit, where)                                                \
    CLI_AS(#member, type, member, title, unit, where)
/* Replaces texts of an item by copies without control characters, and NULL by "". Replaces only
 * texts that columns show, and only in the first `bytes` bytes of the item. If the item `like` has
 * an equal text, both items share one copy. `like` may be NULL. */
void cli_copy_item(void *item, size_t bytes, const void *like, const cli_column *columns,
                   size_t count);
/* Packs the last row into `most` bytes, and cuts texts that do not fit. Returns the packed size. */
size_t cli_table_pack(const cli_table *table, char *out, size_t most);
/* Reads a packed row. The texts of *item point into `packed`. */
void cli_table_unpack(void *item, const cli_table *table, const char *packed);
/* The version of the JSON documents that schema/NAME.json describe. Adding a key does not change
 * the version; removing a key or changing its meaning does. */
enum { CLI_SCHEMA_VERSION = 1 };

/* Prints a table in the format of the options. Leaves out columns without values. If the terminal
 * is too narrow, wraps texts, leaves out CLI_SPARE columns and prints a note. An empty table is an
 * empty array in JSON, a header in CSV, and nothing in text. */
int cli_table_print(const cli_table *table);
/* Writes tables. JSON is an object, {"schema": "gputune/DOCUMENT/1", "NAME": [...], ...}, with an
 * array for each table. In other formats empty lines separate the tables. */
void cli_tables_write(const char *document, const cli_table *tables, size_t count,
                      cli_format_kind format, FILE *file);
/* Writes a table as a JSON object of columns, which is half as long as an array of rows. A column
 * is an array of values, or a single value if all values are equal. Numbers have seven digits. The
 * table must have at least one row. */
void cli_table_write_columns(const cli_table *table, FILE *file);

/* Returns the number of bytes of `text` that fit into a line of `width` columns. Sets *skipped to
 * the number of blanks after them. A word that is longer than a line is not cut. */
size_t cli_fold(const char *text, size_t width, size_t *skipped);
