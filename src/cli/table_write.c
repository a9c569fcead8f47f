/* Prints a table aligned, as Markdown, JSON or CSV. */
#include "cli/table.h"

#include "cli/console.h"
#include "cli/json.h"
#include "cli/memory.h"
#include "cli/units.h"

#include <inttypes.h>
#include <string.h>

const char *const cli_format_words[] = {"table", "json", "csv", "md", NULL};

static const cli_cell *cell_at(const cli_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

/* ---- for people ---- */

static char *shown_number(cli_unit unit, double value)
{
    switch (unit) {
    case CLI_TIME:
        return cli_duration(value);
    case CLI_RATE:
        return cli_rate(value);
    case CLI_FLOPS:
        return cli_format("%.4g GFLOP/s", value / 1e9);
    case CLI_RATIO:
        return cli_format("%.3fx", value);
    case CLI_SHARE:
        return cli_format("%.1f%%", value * 100);
    default:
        return cli_format("%.4g", value);
    }
}

static char *plain(const cli_column *column, const cli_cell *cell)
{
    switch (cell->kind) {
    case CLI_NOTHING:
        return cli_copy("");
    case CLI_WORDS:
        return column->unit == CLI_SIZES ? cli_short_sizes(cell->text) : cli_copy(cell->text);
    case CLI_INTEGER:
        return column->unit == CLI_BYTES ? cli_bytes((double)cell->integer)
                                         : cli_format("%" PRId64, cell->integer);
    case CLI_DOUBLE:
        return cell->is_energy ? cli_energy(cell->number)
                               : shown_number(column->unit, cell->number);
    case CLI_BOOLEAN:
        return cli_copy(cell->integer ? "yes" : "");
    }
    return cli_copy("");
}

/* What a cell says; a '|' would end a cell of Markdown. */
static char *shown(const cli_column *column, const cli_cell *cell, bool markdown)
{
    char *text = plain(column, cell), *escaped = NULL;
    if (!markdown || !strchr(text, '|')) {
        return text;
    }
    for (const char *c = text; *c; c++) {
        cli_append(&escaped, "%s%c", *c == '|' ? "\\" : "", *c);
    }
    return escaped;
}

static bool is_left(const cli_column *column)
{
    return column->unit <= CLI_SIZES;
}

typedef struct grid {
    char **texts; /* NULL where the column is not shown */
    size_t *widths;
} grid;

static bool is_shown(const cli_table *table, size_t column)
{
    if (!(table->columns[column].where & table->view)) {
        return false;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const cli_cell *cell = cell_at(table, row, column);
        if (cell->kind != CLI_NOTHING && !(cell->kind == CLI_BOOLEAN && !cell->integer)) {
            return true;
        }
    }
    return false;
}

static grid make_grid(const cli_table *table, bool markdown)
{
    grid out = {cli_allocate(table->row_count * table->column_count, sizeof(char *)),
                cli_allocate(table->column_count, sizeof(size_t))};
    for (size_t c = 0; c < table->column_count; c++) {
        if (!is_shown(table, c)) {
            continue;
        }
        out.widths[c] = cli_columns(table->columns[c].title);
        for (size_t r = 0; r < table->row_count; r++) {
            char *text = shown(&table->columns[c], cell_at(table, r, c), markdown);
            size_t width = cli_columns(text);
            out.texts[r * table->column_count + c] = text;
            out.widths[c] = width > out.widths[c] ? width : out.widths[c];
        }
    }
    return out;
}

static void pad(FILE *file, size_t count)
{
    fprintf(file, "%*s", (int)count, "");
}

/* One line of either kind of table; `texts` NULL stands for the titles. */
static void write_line(const cli_table *table, const grid *grid, char *const *texts, bool markdown,
                       FILE *file)
{
    size_t pending = 0; /* blanks are written before the next text only, so that no line ends so */
    bool first = true;
    for (size_t c = 0; c < table->column_count; c++) {
        if (grid->widths[c] == 0) {
            continue;
        }
        const char *text = texts ? texts[c] : table->columns[c].title;
        size_t blanks = grid->widths[c] - cli_columns(text);
        bool left = is_left(&table->columns[c]);
        if (markdown) {
            fputs(first ? "| " : " | ", file);
            pad(file, left ? 0 : blanks);
            fputs(text, file);
            pad(file, left ? blanks : 0);
        } else {
            pending += (first ? 0 : 2) + (left ? 0 : blanks);
            if (text[0]) {
                pad(file, pending);
                fputs(text, file);
                pending = 0;
            }
            pending += left ? blanks : 0;
        }
        first = false;
    }
    fputs(markdown ? " |\n" : "\n", file);
}

static void write_rule(const cli_table *table, const grid *grid, FILE *file)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (grid->widths[c]) {
            fputs(is_left(&table->columns[c]) ? "| --- " : "| ---: ", file);
        }
    }
    fputs("|\n", file);
}

static size_t line_width(const cli_table *table, const grid *grid)
{
    size_t width = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        width += grid->widths[c] ? grid->widths[c] + (width ? 2 : 0) : 0;
    }
    return width;
}

/* Words from column `from` on, on as many lines as it takes. */
static void write_wrapped(const char *text, size_t from, size_t width, FILE *file)
{
    size_t at = from;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        size_t columns = cli_columns(cli_format("%.*s", (int)bytes, text));
        if (at > from && at + 1 + columns > width) {
            fputc('\n', file);
            pad(file, from);
            at = from;
        }
        fprintf(file, "%s%.*s", at > from ? " " : "", (int)bytes, text);
        at += columns + (at > from);
        text += bytes + (text[bytes] == ' ');
    }
    fputc('\n', file);
}

/* A row as a block of lines, one for each column that has something to say. */
static void write_block(const cli_table *table, const grid *grid, char *const *texts, size_t width,
                        FILE *file)
{
    size_t from = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        size_t columns = grid->widths[c] ? cli_columns(table->columns[c].title) + 2 : 0;
        from = columns > from ? columns : from;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        if (grid->widths[c] && texts[c][0]) {
            fputs(table->columns[c].title, file);
            pad(file, from - cli_columns(table->columns[c].title));
            write_wrapped(texts[c], from, width, file);
        }
    }
}

static void write_blocks(const cli_table *table, const grid *grid, size_t width, FILE *file)
{
    for (size_t r = 0; r < table->row_count; r++) {
        fputs(r ? "\n" : "", file);
        write_block(table, grid, grid->texts + r * table->column_count, width, file);
    }
}

static void write_people(const cli_table *table, bool markdown, FILE *file)
{
    grid grid = make_grid(table, markdown);
    size_t room = markdown ? 0 : cli_terminal_width(file);
    if (room && line_width(table, &grid) > room) {
        write_blocks(table, &grid, room, file);
        return;
    }
    write_line(table, &grid, NULL, markdown, file);
    if (markdown) {
        write_rule(table, &grid, file);
    }
    for (size_t r = 0; r < table->row_count; r++) {
        write_line(table, &grid, grid.texts + r * table->column_count, markdown, file);
    }
}

/* ---- for programs ---- */

static bool is_in_data(const cli_table *table, size_t column)
{
    unsigned where = table->columns[column].where;
    return where & CLI_IN_DATA || (where & CLI_IN_ITS_DATA && where & table->view);
}

static void write_json_cell(const cli_cell *cell, FILE *file)
{
    switch (cell->kind) {
    case CLI_NOTHING:
        fputs("null", file);
        break;
    case CLI_WORDS:
        cli_json_text(cell->text, file);
        break;
    case CLI_INTEGER:
        fprintf(file, "%" PRId64, cell->integer);
        break;
    case CLI_DOUBLE:
        cli_json_number(cell->number, file);
        break;
    case CLI_BOOLEAN:
        fputs(cell->integer ? "true" : "false", file);
        break;
    }
}

static void write_json(const cli_table *table, FILE *file)
{
    fputs(table->row_count ? "[\n" : "[", file);
    for (size_t r = 0; r < table->row_count; r++) {
        const char *separator = "  {";
        for (size_t c = 0; c < table->column_count; c++) {
            if (is_in_data(table, c)) {
                fprintf(file, "%s\"%s\": ", separator, table->columns[c].key);
                write_json_cell(cell_at(table, r, c), file);
                separator = ", ";
            }
        }
        fputs(r + 1 < table->row_count ? "},\n" : "}\n", file);
    }
    fputs("]", file);
}

static void write_csv_text(const char *text, FILE *file)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_csv_cell(const cli_cell *cell, FILE *file)
{
    if (cell->kind == CLI_WORDS) {
        write_csv_text(cell->text, file);
    } else if (cell->kind != CLI_NOTHING) {
        write_json_cell(cell, file);
    }
}

static void write_csv(const cli_table *table, FILE *file)
{
    for (size_t r = 0; r <= table->row_count; r++) {
        const char *separator = "";
        for (size_t c = 0; c < table->column_count; c++) {
            if (!is_in_data(table, c)) {
                continue;
            }
            fputs(separator, file);
            if (r == 0) {
                fputs(table->columns[c].key, file);
            } else {
                write_csv_cell(cell_at(table, r - 1, c), file);
            }
            separator = ",";
        }
        fputc('\n', file);
    }
}

/* ---- */

void cli_table_write(const cli_table *table, cli_format_kind format, FILE *file)
{
    if (format == CLI_FORMAT_JSON) {
        write_json(table, file);
        fputc('\n', file);
    } else if (format == CLI_FORMAT_CSV) {
        write_csv(table, file);
    } else if (table->row_count) {
        write_people(table, format == CLI_FORMAT_MARKDOWN, file);
    }
}

void cli_tables_write(const cli_table *tables, size_t count, cli_format_kind format, FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        if (format == CLI_FORMAT_JSON) {
            fprintf(file, "%s\"%s\": ", i ? ",\n" : "{", tables[i].name);
            write_json(&tables[i], file);
        } else if (tables[i].row_count) {
            fputs(i ? "\n" : "", file);
            cli_table_write(&tables[i], format, file);
        }
    }
    fputs(format == CLI_FORMAT_JSON ? "}\n" : "", file);
}
