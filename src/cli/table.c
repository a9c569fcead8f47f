/* Tables: adds rows, fits columns into the terminal's width, and writes all formats. */
#include "cli/table.h"

#include "cli/console.h"
#include "cli/files.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a cell is formatted: for people, or as a value of JSON and CSV. A BRIEF value has 7 digits.
 */
typedef enum style { PEOPLE, EXACT, BRIEF } style;

#define AS(type) (*(const type *)field)

/* Returns the objective of a row, because times of the objective energy are nanojoules. */
static gputune_objective objective_of(const cli_table *table, size_t row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const void *field = (const char *)table->rows[row] + table->columns[i].offset;
        if (table->columns[i].unit == CLI_OBJECTIVE) {
            return AS(gputune_objective);
        }
    }
    return GPUTUNE_OBJECTIVE_DEFAULT;
}

static char *format_number(const cli_table *table, size_t row, cli_unit unit, double value)
{
    switch (unit) {
    case CLI_TIME:
        return cli_value(value, objective_of(table, row));
    case CLI_DURATION:
        return cli_value(value, GPUTUNE_OBJECTIVE_DEFAULT);
    case CLI_RATE:
        return cli_rate(value);
    case CLI_FLOPS:
        return cli_format("%.4g GFLOP/s", value / 1e9);
    case CLI_SHARE:
        return cli_format("%.1f%%", value * 100);
    default:
        return cli_format("%.4g", value);
    }
}

/* Returns the text of a cell, or "" if the cell has no value. */
static const char *cell_text(const cli_table *table, size_t row, size_t column, style style)
{
    const cli_unit unit = table->columns[column].unit;
    const void *field = (const char *)table->rows[row] + table->columns[column].offset;
    switch (unit) {
    case CLI_TEXT:
    case CLI_STATUS:
    case CLI_FIGURE:
        return AS(char *);
    case CLI_SIZES:
        return style == PEOPLE ? cli_short_sizes(AS(char *)) : AS(char *);
    case CLI_CHARS:
        return field;
    case CLI_OBJECTIVE:
        return gputune_objective_name(AS(gputune_objective));
    case CLI_CACHE:
        return gputune_cache_name(AS(gputune_cache));
    case CLI_VERSION:
        return AS(int) ? cli_format("%d.%d", AS(int) / 1000, AS(int) % 1000 / 10) : "";
    case CLI_CERTAINTY:
        return gputune_certainty_name(AS(gputune_certainty));
    case CLI_YES:
        return style == PEOPLE ? (AS(bool) ? "yes" : "") : AS(bool) ? "true" : "false";
    case CLI_SOME_COUNT:
        return AS(uint32_t) ? cli_format("%" PRIu32, AS(uint32_t)) : "";
    case CLI_COUNT:
        return cli_format("%" PRIu32, AS(uint32_t));
    case CLI_BIG_COUNT:
        return cli_format("%" PRIu64, AS(uint64_t));
    case CLI_WHOLE:
        return cli_format("%d", AS(int));
    case CLI_BYTES:
        return style == PEOPLE ? cli_bytes((double)AS(int64_t))
                               : cli_format("%" PRId64, AS(int64_t));
    default:
        return !isfinite(AS(double)) || (unit != CLI_REAL && AS(double) == 0) ? ""
               : style == EXACT ? cli_json_number(AS(double))
               : style == BRIEF ? cli_format("%.7g", AS(double))
                                : format_number(table, row, unit, AS(double));
    }
}

static bool is_text(cli_unit unit)
{
    return unit == CLI_TEXT || unit == CLI_STATUS || unit == CLI_SIZES || unit == CLI_FIGURE;
}

void cli_copy_item(void *item, size_t bytes, const void *like, const cli_column *columns,
                   size_t count)
{
    static char none[] = "";
    const bool lines = cli_given.format != CLI_FORMAT_TABLE; /* JSON and CSV may have line ends */
    for (size_t i = 0; i < count; i++) {
        size_t at = columns[i].offset;
        if (at < bytes && is_text(columns[i].unit)) {
            char **text = (char **)((char *)item + at);
            char *known = like ? *(char *const *)((const char *)like + at) : NULL;
            const char *given = *text ? *text : none;
            *text = !*given                              ? none
                    : known && strcmp(known, given) == 0 ? known
                                                         : cli_clean(cli_copy(given), lines);
        }
    }
}

void *cli_table_add(cli_table *table, const void *item)
{
    size_t last = table->row_count;
    void *copy = memcpy(cli_allocate(1, table->item_bytes), item, table->item_bytes);
    cli_copy_item(copy, table->item_bytes, last ? table->rows[last - 1] : NULL, table->columns,
                  table->column_count);
    cli_push(table->rows, table->row_count, copy);
    return copy;
}

size_t cli_table_pack(const cli_table *table, char *out, size_t most)
{
    const char *item = table->rows[table->row_count - 1];
    size_t bytes = table->item_bytes;
    memcpy(out, item, bytes);
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_text(table->columns[i].unit)) {
            const char *text = *(char *const *)(item + table->columns[i].offset);
            size_t length = strnlen(text, (most - bytes) / 2);
            memcpy(out + bytes, text, length);
            out[bytes + length] = '\0';
            bytes += length + 1;
        }
    }
    return bytes;
}

void cli_table_unpack(void *item, const cli_table *table, const char *packed)
{
    const char *text = packed + table->item_bytes;
    memcpy(item, packed, table->item_bytes);
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_text(table->columns[i].unit)) {
            memcpy((char *)item + table->columns[i].offset, &text, sizeof text);
            text += strlen(text) + 1;
        }
    }
}

enum {
    GAP = 2,     /* blanks between columns */
    COMFORT = 32 /* minimum readable width of a column of words */
};

/* The width of a table's column, counted in columns of the terminal. */
typedef struct span {
    size_t least; /* minimum width after folding: width of the title or longest word */
    size_t width; /* width of the longest text; 0 if the column is not shown */
    bool spare;   /* true if the column may be left out */
} span;

static size_t total(const span *spans, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += spans[i].width ? (sum ? GAP : 0) + spans[i].width : 0;
    }
    return sum;
}

/* Narrows the widest column again and again, so long texts get equal widths. */
static void fold_columns(span *spans, size_t count, size_t limit, size_t least)
{
    for (size_t over = total(spans, count); over > limit; over--) {
        span *widest = NULL;
        for (size_t i = 0; i < count; i++) {
            bool can = spans[i].width > spans[i].least && spans[i].width > least;
            widest = can && (!widest || spans[i].width > widest->width) ? &spans[i] : widest;
        }
        if (!widest) {
            return;
        }
        widest->width--;
    }
}

/* Narrows the columns until they fit into `limit` (0: no limit). First folds columns to a width of
 * at least COMFORT, then leaves out spare columns, and then folds columns further. Returns the
 * number of columns left out. */
static size_t fit_columns(span *spans, size_t count, size_t limit)
{
    size_t left_out = 0;
    if (!limit) {
        return 0;
    }
    fold_columns(spans, count, limit, COMFORT);
    for (size_t i = count; i > 0 && total(spans, count) > limit; i--) {
        if (spans[i - 1].spare && spans[i - 1].width) {
            spans[i - 1].width = 0;
            left_out++;
        }
    }
    fold_columns(spans, count, limit, 1);
    return left_out;
}

size_t cli_fold(const char *text, size_t width, size_t *skipped)
{
    size_t end = strlen(text), columns = 0, taken = 0;
    for (size_t at = 0; at <= end && columns <= width; at++) {
        if (text[at] == ' ' || text[at] == '\0') {
            taken = at;
        }
        columns += ((unsigned char)text[at] & 0xC0) != 0x80;
    }
    taken = taken ? taken : strcspn(text, " ");
    *skipped = strspn(text + taken, " ");
    return taken;
}

const char *const cli_format_words[] = {"table", "json", "csv", NULL};

/* ---- text ---- */

static bool is_left(const cli_column *column)
{
    return column->unit <= CLI_SIZES;
}

typedef struct grid {
    const char **texts; /* texts row by row, titles first */
    span *spans;
} grid;

static const char *color_of(const char *text)
{
    static const struct {
        const char *word, *color;
    } colors[] = {{"ok", CLI_GREEN},       {"faster", CLI_GREEN},  {"winner", CLI_GREEN},
                  {"warning", CLI_YELLOW}, {"slower", CLI_YELLOW}, {"failure", CLI_RED},
                  {"wrong", CLI_RED},      {"crashed", CLI_RED},   {"hung", CLI_RED},
                  {"compile", CLI_RED},    {"launch", CLI_RED}};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        size_t length = strlen(colors[i].word);
        if (strncmp(text, colors[i].word, length) == 0 && !isalpha((unsigned char)text[length])) {
            return colors[i].color;
        }
    }
    return NULL;
}

/* Makes a column wide enough for a text, or for its longest word if the column is folded. */
static void widen_column(span *to, const char *text, bool folds)
{
    size_t width = cli_columns(text);
    to->width = width > to->width ? width : to->width;
    for (size_t taken, skipped = 0; *text; text += taken + skipped) {
        taken = folds ? cli_fold(text, 1, &skipped) : strlen(text);
        size_t least = cli_columns(cli_copy_part(text, taken));
        to->least = least > to->least ? least : to->least;
    }
}

/* Formats the columns of the table's view. Columns without a value stay hidden. */
static grid make_grid(const cli_table *table)
{
    size_t count = table->column_count;
    grid out = {cli_allocate((table->row_count + 1) * count, sizeof(char *)),
                cli_allocate(count, sizeof(span))};
    for (size_t c = 0; c < count; c++) {
        const cli_column *column = &table->columns[c];
        bool shows = false;
        out.texts[c] = column->title;
        out.spans[c].spare = column->where & CLI_SPARE;
        for (size_t r = 1; r <= table->row_count && column->where & table->view; r++) {
            out.texts[r * count + c] = cell_text(table, r - 1, c, PEOPLE);
            shows |= *out.texts[r * count + c];
        }
        for (size_t r = 0; r <= table->row_count && shows; r++) {
            widen_column(&out.spans[c], out.texts[r * count + c], r && is_left(column));
        }
    }
    return out;
}

/* Writes a line, and advances rest[c] past the text of column c. Returns true if text is left. */
static bool write_line(const cli_table *table, const grid *grid, const char **rest,
                       const char *const *colors, FILE *file)
{
    char *line = cli_copy("");
    bool more = false;
    for (size_t c = 0; c < table->column_count; c++) {
        size_t width = grid->spans[c].width, skipped;
        if (!width) {
            continue;
        }
        size_t taken = cli_fold(rest[c], width, &skipped);
        char *text = cli_copy_part(rest[c], taken);
        int blanks = (int)(width - cli_columns(text)), gap = line[0] ? GAP : 0;
        bool left = is_left(&table->columns[c]), colored = text[0] && colors[c];
        cli_append(&line, "%*s%s%s%s%*s", gap + (left ? 0 : blanks), "", colored ? colors[c] : "",
                   text, colored ? CLI_PLAIN : "", left ? blanks : 0, "");
        rest[c] += taken + skipped;
        more = more || *rest[c];
    }
    size_t length = strlen(line);
    while (length && line[length - 1] == ' ') {
        length--;
    }
    fprintf(file, "%.*s\n", (int)length, line);
    return more;
}

static void write_row(const cli_table *table, const grid *grid, size_t row, FILE *file)
{
    const char **rest = cli_allocate(table->column_count, sizeof *rest);
    const char **colors = cli_allocate(table->column_count, sizeof *colors);
    bool colored = cli_console_has_color(file);
    for (size_t c = 0; c < table->column_count; c++) {
        rest[c] = grid->spans[c].width ? grid->texts[row * table->column_count + c] : "";
        colors[c] = !colored                               ? NULL
                    : !row                                 ? CLI_BOLD
                    : table->columns[c].unit == CLI_STATUS ? color_of(rest[c])
                                                           : NULL;
    }
    while (write_line(table, grid, rest, colors, file)) {
    }
}

static void write_people(const cli_table *table, FILE *file)
{
    grid grid = make_grid(table);
    size_t limit = cli_console_columns(file);
    size_t left_out = fit_columns(grid.spans, table->column_count, limit);
    for (size_t r = 0; r <= table->row_count; r++) {
        write_row(table, &grid, r, file);
    }
    if (left_out) {
        fflush(file);
        cli_note("%zu column%s hidden at a width of %zu characters; COLUMNS=0 shows all", left_out,
                 gt_plural(left_out), limit);
    }
}

/* ---- JSON and CSV ---- */

static bool is_in_data(const cli_table *table, size_t column)
{
    unsigned where = table->columns[column].where;
    return where & CLI_IN_DATA || (where & CLI_IN_ITS_DATA && where & table->view);
}

static const char *json_cell(const cli_table *table, size_t row, size_t column, style style)
{
    const char *text = cell_text(table, row, column, style);
    return !*text ? "null" : table->columns[column].unit <= CLI_FIGURE ? cli_json_text(text) : text;
}

static void write_json(const cli_table *table, FILE *file)
{
    fputs(table->row_count ? "[\n" : "[", file);
    for (size_t r = 0; r < table->row_count; r++) {
        const char *separator = "  {";
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        for (size_t c = 0; c < table->column_count; c++) {
            if (is_in_data(table, c)) {
                fprintf(file, "%s\"%s\": %s", separator, table->columns[c].key,
                        json_cell(table, r, c, EXACT));
                separator = ", ";
            }
        }
        fputs(r + 1 < table->row_count ? "},\n" : "}\n", file);
    }
    fputs("]", file);
}

static const char *csv_cell(const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        return text;
    }
    char *quoted = cli_copy("\"");
    for (; *text; text++) {
        cli_append(&quoted, "%s%c", *text == '"' ? "\"" : "", *text);
    }
    cli_append(&quoted, "\"");
    return quoted;
}

static void write_csv(const cli_table *table, FILE *file)
{
    for (size_t r = 0; r <= table->row_count; r++) {
        const char *separator = "";
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        for (size_t c = 0; c < table->column_count; c++) {
            if (is_in_data(table, c)) {
                fprintf(file, "%s%s", separator,
                        r ? csv_cell(cell_text(table, r - 1, c, EXACT)) : table->columns[c].key);
                separator = ",";
            }
        }
        fputc('\n', file);
    }
}

void cli_table_write_columns(const cli_table *table, FILE *file)
{
    for (size_t c = 0; c < table->column_count; c++) {
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        const char **texts = cli_allocate(table->row_count, sizeof *texts);
        size_t count = 1; /* 1 if all values are equal, otherwise the number of rows */
        for (size_t r = 0; r < table->row_count; r++) {
            texts[r] = json_cell(table, r, c, BRIEF);
            count = strcmp(texts[r], texts[0]) == 0 ? count : table->row_count;
        }
        fprintf(file, "%s\"%s\": %s", c ? ",\n" : "{", table->columns[c].key, count > 1 ? "[" : "");
        for (size_t r = 0; r < count; r++) {
            fprintf(file, "%s%s", r ? "," : "", texts[r]);
        }
        fputs(count > 1 ? "]" : "", file);
    }
    fputs("}", file);
}

void cli_tables_write(const char *document, const cli_table *tables, size_t count,
                      cli_format_kind format, FILE *file)
{
    if (format == CLI_FORMAT_JSON) {
        fprintf(file, "{\"schema\": \"gputune/%s/%d\"", document, CLI_SCHEMA_VERSION);
    }
    for (size_t i = 0; i < count; i++) {
        if (format == CLI_FORMAT_JSON) {
            fprintf(file, ",\n\"%s\": ", tables[i].name);
            write_json(&tables[i], file);
        } else if (tables[i].row_count || (count == 1 && format == CLI_FORMAT_CSV)) {
            fputs(i ? "\n" : "", file);
            if (format == CLI_FORMAT_CSV) {
                write_csv(&tables[i], file);
            } else {
                write_people(&tables[i], file);
            }
        }
    }
    fputs(format == CLI_FORMAT_JSON ? "}\n" : "", file);
}

int cli_table_print(const cli_table *table)
{
    cli_tables_write(table->name, table, 1, (cli_format_kind)cli_given.format, stdout);
    return CLI_EXIT_OK;
}
