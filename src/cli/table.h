/* Rows of data and their columns, described once and written as table, Markdown, JSON or CSV. */
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
    /* words, which are aligned to the left */
    CLI_TEXT,      /* const char * */
    CLI_CHARS,     /* char[] */
    CLI_OBJECTIVE, /* gputune_objective, as its name */
    CLI_STATUS,    /* const char *, coloured by its first word: "ok", "slower", "wrong: ..." */
    CLI_VERSION,   /* int, "13.0" for 13000; 0: none */
    CLI_CERTAINTY, /* gputune_certainty, "exact", "about" or "at most" */
    CLI_SIZES,     /* const char *, round numbers shortened */
    /* figures */
    CLI_FIGURE,     /* const char *, a figure as it is shown */
    CLI_YES,        /* bool */
    CLI_COUNT,      /* uint32_t */
    CLI_SOME_COUNT, /* uint32_t, 0: unknown */
    CLI_BIG_COUNT,  /* uint64_t */
    CLI_WHOLE,      /* int */
    CLI_BYTES,      /* int64_t */
    CLI_TIME,       /* double, nanoseconds; 0: unknown */
    CLI_RATE,       /* double, bytes a second; 0: unknown */
    CLI_FLOPS,      /* double, operations a second; 0: unknown */
    CLI_RATIO,      /* double, "1.203x"; 0: unknown */
    CLI_SHARE,      /* double, "95.9%"; 0: unknown */
    CLI_SOME_REAL,  /* double; 0: unknown */
    CLI_REAL        /* double */
} cli_unit;

/* A table shows columns that share a bit with its view; data have those with CLI_IN_DATA, or with
 * CLI_IN_ITS_DATA and such a bit. A narrow terminal leaves out CLI_SPARE columns. */
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
    void *item;     /* a struct of the table's own, whose members the columns show */
    bool is_energy; /* its CLI_TIME columns hold nanojoules */
    double key;     /* set by cli_table_sort(), as the row's index before */
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
/* The same for an objective: CLI_TIME columns, except `compile_ns`, may hold energy. */
void *cli_table_add_measured(cli_table *table, const void *item, gputune_objective objective);
/* A table without rows, for items of that type. */
#define CLI_TABLE(name, columns, type, view)                                                       \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof *(columns), sizeof(type), NULL, 0, view            \
    }
/* A column for a member, with that key in data; CLI_FIELD: by the member's name. */
#define CLI_AS(key, type, member, title, unit, where)                                              \
    {                                                                                              \
        key, title, unit, where, offsetof(type, member)                                            \
    }
#define CLI_FIELD(type, member, title, unit, where)                                                \
    CLI_AS(#member, type, member, title, unit, where)
/* Puts the rows in ascending order of their items' keys; rows of equal keys stay in their order. */
void cli_table_sort(cli_table *table, double (*key)(const void *item));
/* Puts copies in place of the texts of an item that columns show, as far as they lie within its
 * first `bytes`; "" in place of NULL. Control characters are left out. The copy shares texts that
 * are equal to those of `like`, an item or NULL. */
void cli_copy_item(void *item, size_t bytes, const void *like, const cli_column *columns,
                   size_t count);
/* Writes the last row for another process. Returns its bytes; 0: more than `most`. */
size_t cli_table_pack(const cli_table *table, char *out, size_t most);
/* Reads such an item, whose texts stay in `packed`. False: it is not one of the table's. */
bool cli_table_unpack(void *item, const cli_table *table, const char *packed, size_t bytes);
/* The version of the JSON documents, each described by schema/NAME.json. A new key of an object
 * does not change the version; removing a key, or changing its meaning, does. */
enum { CLI_SCHEMA_VERSION = 1 };

/* Writes one table; as JSON, a document that has the table's name. Columns of a table that are
 * empty in every row are left out; on a terminal that is too narrow, words are folded and CLI_SPARE
 * columns are left out, which a note says. Without rows JSON has an empty array, CSV its header,
 * and a table for people nothing. */
void cli_table_write(const cli_table *table, cli_format_kind format, FILE *file);
/* Writes the table to stdout, as --format says. Returns CLI_EXIT_OK. */
int cli_table_print(const cli_table *table);
/* Writes several tables. JSON is an object, {"schema": "gputune/DOCUMENT/1", "NAME": [...], ...}
 * with an array for each table; in other formats empty lines separate the tables. */
void cli_tables_write(const char *document, const cli_table *tables, size_t count,
                      cli_format_kind format, FILE *file);
/* Writes a table that has rows as a JSON object of its columns: each an array of the rows' values,
 * or the one value that all rows have. Numbers have seven digits. The text is half as long as one
 * object for each row would be, which matters for tables of 10^5 rows. */
void cli_table_write_columns(const cli_table *table, FILE *file);

/* The text, escaped for Markdown, where a '|' would end a cell and a '<' begin an element. */
const char *cli_markdown(const char *text);

/* Blanks between two columns. */
enum { CLI_GAP = 2 };

/* The width of a table's column, in characters of the terminal. */
typedef struct cli_span {
    size_t least; /* length of its title, or of its longest word: folding makes it no narrower */
    size_t width; /* length of its longest text; 0: the column is not shown */
    bool spare;   /* the column may be left out, the last of such columns first */
} cli_span;

/* How many bytes fit on the next line of `width`; *skipped: blanks behind. No word is cut. */
size_t cli_fold(const char *text, size_t width, size_t *skipped);
