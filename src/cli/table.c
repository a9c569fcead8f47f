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

typedef struct cell {
    enum { NOTHING, WORDS, INTEGER, REAL, BOOLEAN } kind;
    const char *text;
    int64_t integer;
    double number;
    bool is_energy; /* true if a CLI_TIME cell holds nanojoules */
} cell;

static cell words(const char *text)
{
    return (cell){text && text[0] ? WORDS : NOTHING, .text = text};
}

static cell integer(int64_t value)
{
    return (cell){INTEGER, .integer = value};
}

#define AS(type) (*(const type *)field)

static cell read_field(cli_unit unit, const void *field)
{
    switch (unit) {
    case CLI_TEXT:
    case CLI_STATUS:
    case CLI_SIZES:
    case CLI_FIGURE:
        return words(AS(char *));
    case CLI_CHARS:
        return words(field);
    case CLI_OBJECTIVE:
        return words(gputune_objective_name(AS(gputune_objective)));
    case CLI_CACHE:
        return words(gputune_cache_name(AS(gputune_cache)));
    case CLI_VERSION:
        return words(AS(int) ? cli_format("%d.%d", AS(int) / 1000, AS(int) % 1000 / 10) : "");
    case CLI_CERTAINTY:
        return words(gputune_certainty_name(AS(gputune_certainty)));
    case CLI_YES:
        return (cell){BOOLEAN, .integer = AS(bool)};
    case CLI_SOME_COUNT:
        return AS(uint32_t) ? integer(AS(uint32_t)) : words(NULL);
    case CLI_COUNT:
        return integer(AS(uint32_t));
    case CLI_BIG_COUNT:
        return integer((int64_t)AS(uint64_t));
    case CLI_WHOLE:
        return integer(AS(int));
    case CLI_BYTES:
        return integer(AS(int64_t));
    default: {
        bool is_known = isfinite(AS(double)) && (unit == CLI_REAL || AS(double) != 0);
        return is_known ? (cell){REAL, .number = AS(double)} : words(NULL);
    }
    }
}

static cell cell_at(const cli_table *table, size_t row, size_t column)
{
    const cli_column *shown = &table->columns[column];
    cell out = read_field(shown->unit, (const char *)table->rows[row].item + shown->offset);
    out.is_energy = table->rows[row].is_energy && shown->unit == CLI_TIME &&
                    !(shown->key && strcmp(shown->key, "compile_ns") == 0);
    return out;
}

static bool is_text(cli_unit unit)
{
    return unit == CLI_TEXT || unit == CLI_STATUS || unit == CLI_SIZES || unit == CLI_FIGURE;
}

void cli_copy_item(void *item, size_t bytes, const void *like, const cli_column *columns,
                   size_t count)
{
    static char none[] = "";
    const bool lines =
        cli_given.format == CLI_FORMAT_JSON ||
        cli_given.format == CLI_FORMAT_CSV; /* these formats escape or quote line ends */
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

void *cli_table_add_measured(cli_table *table, const void *item, gputune_objective objective)
{
    size_t last = table->row_count;
    void *copy = memcpy(cli_allocate(1, table->item_bytes), item, table->item_bytes);
    cli_copy_item(copy, table->item_bytes, last ? table->rows[last - 1].item : NULL, table->columns,
                  table->column_count);
    cli_push(table->rows, table->row_count,
             (cli_row){.item = copy, .is_energy = objective == GPUTUNE_OBJECTIVE_ENERGY});
    return copy;
}

void *cli_table_add(cli_table *table, const void *item)
{
    return cli_table_add_measured(table, item, GPUTUNE_OBJECTIVE_DEFAULT);
}

size_t cli_table_pack(const cli_table *table, char *out, size_t most)
{
    const char *item = table->rows[table->row_count - 1].item;
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

static char *shown_number(cli_unit unit, double value)
{
    switch (unit) {
    case CLI_TIME:
        return cli_value(value, GPUTUNE_OBJECTIVE_DEFAULT);
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

static const char *plain(cli_unit unit, cell cell)
{
    switch (cell.kind) {
    case WORDS:
        return unit == CLI_SIZES ? cli_short_sizes(cell.text) : cell.text;
    case INTEGER:
        return unit == CLI_BYTES ? cli_bytes((double)cell.integer)
                                 : cli_format("%" PRId64, cell.integer);
    case REAL:
        return cell.is_energy ? cli_value(cell.number, GPUTUNE_OBJECTIVE_ENERGY)
                              : shown_number(unit, cell.number);
    default:
        return cell.integer ? "yes" : "";
    }
}

static bool is_left(const cli_column *column)
{
    return column->unit <= CLI_SIZES;
}

typedef struct grid {
    const char **texts; /* texts row by row, titles first; NULL in hidden columns */
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

static bool is_shown(const cli_table *table, size_t column)
{
    if (!(table->columns[column].where & table->view)) {
        return false;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const cell cell = cell_at(table, row, column);
        if (cell.kind != NOTHING && !(cell.kind == BOOLEAN && !cell.integer)) {
            return true;
        }
    }
    return false;
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

static grid make_grid(const cli_table *table)
{
    size_t count = table->column_count;
    grid out = {cli_allocate((table->row_count + 1) * count, sizeof(char *)),
                cli_allocate(count, sizeof(span))};
    for (size_t c = 0; c < count; c++) {
        const cli_column *column = &table->columns[c];
        bool shows = is_shown(table, c);
        out.spans[c].spare = column->where & CLI_SPARE;
        for (size_t r = 0; r <= table->row_count && shows; r++) {
            const char *text = r ? plain(column->unit, cell_at(table, r - 1, c)) : column->title;
            out.texts[r * count + c] = text;
            widen_column(&out.spans[c], text, r && is_left(column));
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

static const char *json_cell(cell cell)
{
    switch (cell.kind) {
    case WORDS:
        return cli_json_text(cell.text);
    case INTEGER:
        return cli_format("%" PRId64, cell.integer);
    case REAL:
        return cli_json_number(cell.number);
    case BOOLEAN:
        return cell.integer ? "true" : "false";
    default:
        return "null";
    }
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
                        json_cell(cell_at(table, r, c)));
                separator = ", ";
            }
        }
        fputs(r + 1 < table->row_count ? "},\n" : "}\n", file);
    }
    fputs("]", file);
}

static const char *csv_cell(cell cell)
{
    const char *text = cell.text;
    if (cell.kind != WORDS) {
        return cell.kind == NOTHING ? "" : json_cell(cell);
    }
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
                        r ? csv_cell(cell_at(table, r - 1, c)) : table->columns[c].key);
                separator = ",";
            }
        }
        fputc('\n', file);
    }
}

static bool is_constant(const cli_table *table, size_t column)
{
    const cell a = cell_at(table, 0, column);
    bool equal = true;
    for (size_t r = 1; r < table->row_count && equal; r++) {
        const cell b = cell_at(table, r, column);
        equal = a.kind == b.kind && a.integer == b.integer && a.number == b.number &&
                (a.kind != WORDS || strcmp(a.text, b.text) == 0);
    }
    return equal;
}

void cli_table_write_columns(const cli_table *table, FILE *file)
{
    for (size_t c = 0; c < table->column_count; c++) {
        fprintf(file, "%s\"%s\": ", c ? ",\n" : "{", table->columns[c].key);
        bool constant = is_constant(table, c);
        CLI_SCOPED(cli_release_at) void *mark = cli_mark();
        fputs(constant ? "" : "[", file);
        for (size_t r = 0; r < (constant ? 1 : table->row_count); r++) {
            const cell cell = cell_at(table, r, c);
            bool is_real = cell.kind == REAL;
            const char *text = is_real ? cli_format("%.7g", cell.number) : json_cell(cell);
            fprintf(file, "%s%s", r ? "," : "", text);
        }
        fputs(constant ? "" : "]", file);
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
