/* Tables, whose columns are described once and written in every format: an aligned table, a
 * Markdown table, JSON or CSV. */
#pragma once

#include <gputune_tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_format_kind {
    CLI_FORMAT_TABLE,
    CLI_FORMAT_JSON,
    CLI_FORMAT_CSV,
    CLI_FORMAT_MARKDOWN
} cli_format_kind;
/* The words of --format, in the order above, NULL-terminated. */
extern const char *const cli_format_words[];

/* How a column's values are read and shown to people. Data formats get plain base units. */
typedef enum cli_unit {
    /* words, aligned to the left */
    CLI_TEXT,      /* const char * */
    CLI_CHARS,     /* char[] */
    CLI_OBJECTIVE, /* gputune_objective, as its name */
    CLI_STATUS,    /* const char *, coloured by its first word: "ok", "slower", "wrong: ..." */
    CLI_VERSION,   /* int, "13.0" for 13000; 0: none */
    CLI_CERTAINTY, /* gputune_certainty, "exact", "about" or "at most" */
    CLI_SIZES,     /* const char *, round numbers shortened */
    /* figures */
    CLI_FIGURE,     /* const char *, a formatted figure */
    CLI_YES,        /* bool */
    CLI_COUNT,      /* uint32_t */
    CLI_SOME_COUNT, /* uint32_t, 0: unknown */
    CLI_BIG_COUNT,  /* uint64_t */
    CLI_WHOLE,      /* int */
    CLI_BYTES,      /* int64_t */
    CLI_TIME,       /* double, nanoseconds; 0: unknown */
    CLI_RATE,       /* double, bytes per second; 0: unknown */
    CLI_FLOPS,      /* double, operations per second; 0: unknown */
    CLI_RATIO,      /* double, "1.203x"; 0: unknown */
    CLI_SHARE,      /* double, "95.9%"; 0: unknown */
    CLI_SOME_REAL,  /* double; 0: unknown */
    CLI_REAL        /* double */
} cli_unit;

/* A column appears in a table if it shares a bit with its view; in JSON and CSV if it has
 * CLI_IN_DATA, or CLI_IN_ITS_DATA and a bit of the view. A narrow terminal leaves out CLI_SPARE
 * columns. */
enum {
    CLI_IN_DATA = 1,
    CLI_IN_ITS_DATA = 2,
    CLI_SPARE = 4,
    CLI_VIEW = 8
}; /* views: CLI_VIEW, CLI_VIEW << 1, ... */

typedef struct cli_column {
    const char *key;   /* in JSON and CSV */
    const char *title; /* in tables */
    cli_unit unit;
    unsigned where;
    size_t offset; /* of the field in the row's item */
} cli_column;

typedef struct cli_row {
    void *item;     /* the table's copy of a struct, whose members the columns show */
    bool is_energy; /* its CLI_TIME columns hold nanojoules */
    double key;     /* set by cli_table_sort(), like the row's former index */
    size_t index;
} cli_row;

typedef struct cli_table {
    const char *name; /* the key of the table in a JSON document of several tables */
    const cli_column *columns;
    size_t column_count, item_bytes;
    cli_row *rows;
    size_t row_count;
    unsigned view;
} cli_table;

/* Appends a row: a copy of `item` and of the texts that columns show. Returns the copy. */
void *cli_table_add(cli_table *table, const void *item);
/* Like cli_table_add(), for a row of an objective. Its CLI_TIME columns, except `compile_ns`, may
 * hold energy. */
void *cli_table_add_measured(cli_table *table, const void *item, gputune_objective objective);
/* Initialises a table without rows, for items of that type. */
#define CLI_TABLE(name, columns, type, view)                                                       \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof *(columns), sizeof(type), NULL, 0, view            \
    }
/* A column that shows a member of the item; CLI_FIELD uses the member's name as the key. */
#define CLI_AS(key, type, member, title, unit, where)                                              \
    {                                                                                              \
        key, title, unit, where, offsetof(type, member)                                            \
    }
#define CLI_FIELD(type, member, title, unit, where)                                                \
    CLI_AS(#member, type, member, title, unit, where)
/* Sorts the rows by their items' keys, ascending; rows with equal keys keep their order. */
void cli_table_sort(cli_table *table, double (*key)(const void *item));
/* Replaces the texts in the first `bytes` of an item that columns show by copies without control
 * characters, NULL by "". Texts that are equal to those of `like`, an item or NULL, are shared. */
void cli_copy_item(void *item, size_t bytes, const void *like, const cli_column *columns,
                   size_t count);
/* Writes the last row for another process. Returns its bytes; 0: more than `most`. */
size_t cli_table_pack(const cli_table *table, char *out, size_t most);
/* Reads such an item, whose texts stay in `packed`. */
void cli_table_unpack(void *item, const cli_table *table, const char *packed);
/* The version of the JSON documents, which schema/NAME.json describe. A new key of an object does
 * not change the version; removing a key, or changing its meaning, does. */
enum { CLI_SCHEMA_VERSION = 1 };

/* Writes one table; as JSON, a document with the table's name. Columns of a table that are empty in
 * every row are left out; on a terminal that is too narrow, words are folded, and CLI_SPARE columns
 * are left out with a note. Without rows JSON has an empty array, CSV its header, and a table for
 * people nothing. */
void cli_table_write(const cli_table *table, cli_format_kind format, FILE *file);
/* Writes the table to stdout in the format of --format. Returns CLI_EXIT_OK. */
int cli_table_print(const cli_table *table);
/* Writes several tables. JSON is an object, {"schema": "gputune/DOCUMENT/1", "NAME": [...], ...}
 * with an array for each table; in other formats empty lines separate the tables. */
void cli_tables_write(const char *document, const cli_table *tables, size_t count,
                      cli_format_kind format, FILE *file);
/* Writes a table that has rows as a JSON object of its columns: each an array of the rows' values,
 * or one value if all rows have the same. Numbers have seven digits. For tables of 10^5 rows, the
 * text is half as long as with an object for each row. */
void cli_table_write_columns(const cli_table *table, FILE *file);

/* Escapes a text for Markdown, where a '|' would end a cell and a '<' begin an element. */
const char *cli_markdown(const char *text);

/* Returns how many bytes of `text` fit on its next line in a column of `width`. *skipped is the
 * number of blanks after them. A word that is wider than the column is not cut. */
size_t cli_fold(const char *text, size_t width, size_t *skipped);
