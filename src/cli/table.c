/* Collects the rows of a table; table_write.c prints them. */
#include "cli/table.h"

#include "cli/memory.h"
#include "cli/units.h"

#include <gputune.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_set_text(cli_cell *out, const char *text)
{
    if (text && text[0]) {
        *out = (cli_cell){CLI_WORDS, cli_copy(text), 0, 0, false};
    }
}

void cli_set_number(cli_cell *out, double value, bool unknown_zero)
{
    if (isfinite(value) && !(unknown_zero && value == 0)) {
        *out = (cli_cell){CLI_DOUBLE, NULL, 0, value, false};
    }
}

void cli_set_version(cli_cell *out, int version)
{
    cli_set_text(out, version ? cli_format("%d.%d", version / 1000, version % 1000 / 10) : "");
}

void cli_set_yes(cli_cell *out, bool value)
{
    *out = (cli_cell){CLI_BOOLEAN, NULL, value, 0, false};
}

static void set_integer(cli_cell *out, int64_t value)
{
    *out = (cli_cell){CLI_INTEGER, NULL, value, 0, false};
}

static void read_field(cli_cell *out, cli_unit unit, const void *field)
{
    switch (unit) {
    case CLI_TEXT:
    case CLI_STATUS:
    case CLI_SIZES:
        cli_set_text(out, *(const char *const *)field);
        break;
    case CLI_CHARS:
        cli_set_text(out, field);
        break;
    case CLI_OBJECTIVE:
        cli_set_text(out, gputune_objective_name(*(const gputune_objective *)field));
        break;
    case CLI_YES:
        cli_set_yes(out, *(const bool *)field);
        break;
    case CLI_SOME_COUNT:
        if (*(const uint32_t *)field) {
            set_integer(out, *(const uint32_t *)field);
        }
        break;
    case CLI_COUNT:
        set_integer(out, *(const uint32_t *)field);
        break;
    case CLI_BIG_COUNT:
        set_integer(out, (int64_t) * (const uint64_t *)field);
        break;
    case CLI_WHOLE:
        set_integer(out, *(const int *)field);
        break;
    case CLI_BYTES:
        set_integer(out, *(const int64_t *)field);
        break;
    case CLI_REAL:
        cli_set_number(out, *(const double *)field, false);
        break;
    case CLI_TIME:
    case CLI_RATE:
    case CLI_FLOPS:
    case CLI_RATIO:
    case CLI_SHARE:
        cli_set_number(out, *(const double *)field, true);
        break;
    }
}

cli_cell *cli_table_add(cli_table *table, const void *item)
{
    for (size_t c = 0; c < table->column_count; c++) {
        size_t index = table->row_count * table->column_count + c;
        table->cells = cli_grow(table->cells, index, sizeof *table->cells);
        const cli_column *column = &table->columns[c];
        cli_cell *cell = &table->cells[index];
        *cell = (cli_cell){CLI_NOTHING, NULL, 0, 0, false};
        if (column->derive) {
            void *mark = cli_mark();
            column->derive(cell, item);
            cli_release(mark, cell->text);
        } else {
            read_field(cell, column->unit, (const char *)item + column->offset);
        }
    }
    return &table->cells[table->row_count++ * table->column_count];
}

typedef struct place {
    double key;
    size_t row;
} place;

static int by_key(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = (a->key > b->key) - (a->key < b->key);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

void cli_table_sort(cli_table *table, const double *keys)
{
    size_t width = table->column_count, bytes = width * sizeof *table->cells;
    cli_cell *sorted = cli_allocate(table->row_count * width + 1, sizeof *sorted);
    place *places = cli_allocate(table->row_count + 1, sizeof *places);
    for (size_t row = 0; row < table->row_count; row++) {
        places[row] = (place){keys[row], row};
    }
    qsort(places, table->row_count, sizeof *places, by_key);
    for (size_t i = 0; i < table->row_count; i++) {
        memcpy(&sorted[i * width], &table->cells[places[i].row * width], bytes);
    }
    table->cells = sorted;
}
