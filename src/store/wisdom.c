/* Exports and imports winners and rules as text. */
#include "store/wisdom.h"

#include "base/array.h"
#include "base/hash_index.h"
#include "base/number.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_append(gt_text *out, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i += 3) {
        size_t group = count - i < 3 ? count - i : 3;
        uint32_t bits = 0;
        char text[4];
        for (size_t b = 0; b < 3; b++) {
            bits = bits << 8 | (b < group ? at[i + b] : 0);
        }
        for (size_t d = 0; d < 4; d++) {
            text[d] = (char)(d <= group ? digits[bits >> (18 - 6 * d) & 63] : '=');
        }
        gt_text_append_bytes(out, text, sizeof text);
    }
}

/* Decodes four characters of base64. Returns the number of bytes; 0 if a character is invalid. */
static size_t read_group(unsigned char out[3], const char *text)
{
    size_t padding = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t d = 0; d < 4; d++) {
        const char *found = d < 4 - padding && text[d] ? strchr(digits, text[d]) : NULL;
        if (!found && d < 4 - padding) {
            return 0;
        }
        bits = bits << 6 | (found ? (uint32_t)(found - digits) : 0);
    }
    for (size_t b = 0; b < 3; b++) {
        out[b] = (unsigned char)(bits >> (16 - 8 * b));
    }
    return 3 - padding;
}

/* Decodes base64. Returns false on failure. The caller frees *out. */
static bool base64_read(void **out, size_t *count, const char *text, size_t length)
{
    unsigned char *bytes = malloc(length / 4 * 3 + 1);
    size_t read = 0;
    bool right = bytes && length % 4 == 0;
    for (size_t i = 0; right && i < length; i += 4) {
        size_t group = read_group(bytes + read, text + i);
        read += group;
        right = group == 3 || (group > 0 && i + 4 == length);
    }
    if (!right) {
        free(bytes);
        bytes = NULL;
    }
    *out = bytes;
    *count = right ? read : 0;
    return right;
}

const char gt_wisdom_heading[] = "# gputune wisdom 1";
static const char entry_word[] = "entry ";
static const char also_word[] = "also";
static const char variant_word[] = "variant", variant_facts_word[] = "variant-facts";
enum { IMAGE_MOST = 64 << 20 };

typedef struct part {
    const char *word;
    const gt_columns *columns; /* NULL: an image */
    size_t offset;
} part;

static const part parts[] = {
    {"place", &gt_site_columns, offsetof(gt_wisdom_entry, site)},
    {"winner", &gt_winner_columns, offsetof(gt_wisdom_entry, winner)},
    {"trial", &gt_trial_columns, offsetof(gt_wisdom_entry, trial)},
    {"default", &gt_trial_columns, offsetof(gt_wisdom_entry, standard)},
    {"rule", &gt_rule_columns, offsetof(gt_wisdom_entry, rule)},
    {"code-facts", &gt_code_columns, offsetof(gt_wisdom_entry, winner.code)},
    {"code", NULL, offsetof(gt_wisdom_entry, winner.code.image)},
    {"fallback-facts", &gt_code_columns, offsetof(gt_wisdom_entry, winner.fallback)},
    {"fallback", NULL, offsetof(gt_wisdom_entry, winner.fallback.image)},
};
enum { RULE_PART = 4, CODE_PART, PARTS = sizeof parts / sizeof *parts };

/* ---- writing --------------------------------------------------------------------------------- */

static void write_string(gt_text *out, const char *value)
{
    gt_text_append(out, "\"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\' || *value == '\n') {
            gt_text_append(out, "\\");
        }
        gt_text_append_bytes(out, *value == '\n' ? "n" : value, 1);
    }
    gt_text_append(out, "\"");
}

static void write_column(gt_text *out, const gt_column *column, const void *row)
{
    char hex[GT_HASH_HEX];
    const gt_row_value value = gt_column_value(column, row);
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

/* Writes two lines: the columns of compiled code, and its image. */
static void write_code(gt_text *out, const char *facts_word, const char *word, const gt_code *code)
{
    const gt_image *image = &code->image;
    uLongf bytes = compressBound(image->bytes);
    GT_FREED Bytef *packed = image->bytes ? malloc(bytes) : NULL;
    if (!image->bytes) {
        return;
    }
    write_row(out, facts_word, &gt_code_columns, code);
    if (!packed || compress2(packed, &bytes, image->data, image->bytes, Z_BEST_COMPRESSION)) {
        out->failed = true;
    } else {
        gt_text_printf(out, "%s %zu ", word, image->bytes);
        base64_append(out, packed, bytes);
        gt_text_append(out, "\n");
    }
}

void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry)
{
    GT_SCOPED(gt_text_free) gt_text body = {0};
    char hex[GT_HASH_HEX];
    const bool is_rule = entry->rule.text;
    for (int i = 0; i < CODE_PART; i++) {
        if (i && is_rule != (i == RULE_PART)) {
            continue; /* an entry is either a rule or a winner with its trials */
        }
        write_row(&body, parts[i].word, parts[i].columns, (const char *)entry + parts[i].offset);
    }
    for (size_t i = 0; i < entry->also.count; i++) {
        write_row(&body, also_word, &gt_trial_columns, &entry->also.items[i]);
    }
    for (size_t i = 0; is_rule && i < entry->codes.count; i++) {
        write_code(&body, variant_facts_word, variant_word, &entry->codes.items[i]);
    }
    for (int i = CODE_PART; i < PARTS; i += 2) {
        write_code(&body, parts[i].word, parts[i + 1].word,
                   (const gt_code *)((const char *)entry + parts[i].offset));
    }
    const gt_hash sum = gt_hash_bytes(gt_text_string(&body), body.length);
    gt_text_printf(out, "%s%s\n%s", entry_word, gt_hash_hex(hex, sum), gt_text_string(&body));
    out->failed |= body.failed;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_hash(gt_hash *out, const char *text, size_t length)
{
    enum { HALF = 16, DIGITS = 2 * HALF };
    char high[HALF + 1];
    if (length != DIGITS || strspn(text, "0123456789abcdef") != length) {
        return false;
    }
    memcpy(high, text, HALF); /* strtoull() must end after half of the digits */
    high[HALF] = '\0';
    *out = (gt_hash){strtoull(high, NULL, 16), strtoull(text + HALF, NULL, 16)};
    return true;
}

/* Reads a quoted string, decodes its backslashes, and terminates it. Moves *at past it. */
static gputune_status take_string(char **out, char **at)
{
    char *to = *out = ++*at;
    for (; **at != '"'; ++*at) {
        const bool is_escaped = **at == '\\' && (*at)[1];
        *at += is_escaped;
        GT_REFUSE(!**at, GPUTUNE_ERECORDED, "a string has no closing quote");
        *to++ = is_escaped && **at == 'n' ? '\n' : **at;
    }
    *to = '\0';
    ++*at;
    return GPUTUNE_OK;
}

/* Returns the word at *at. Moves *at past the blank that follows it. */
static char *take_word(char **at)
{
    char *word = *at;
    *at += strcspn(word, " ");
    if (**at) {
        *(*at)++ = '\0';
    }
    return word;
}

static gputune_status read_number(gt_row_value *out, const gt_column *column, const char *text)
{
    char *end;
    out->real = gt_strtod(text, &end);
    GT_REFUSE(end == text || *end || !isfinite(out->real), GPUTUNE_ERECORDED,
              "a value is not a number");
    bool is_count = column->kind == GT_COLUMN_COUNT;
    double least = is_count ? 0 : -2147483648.0, most = is_count ? 4294967295.0 : 2147483647.0;
    if (column->kind != GT_COLUMN_REAL) {
        GT_REFUSE(out->real < least || out->real > most, GPUTUNE_ERECORDED,
                  "a number is too large");
        out->integer = (int64_t)out->real;
    }
    return GPUTUNE_OK;
}

/* Reads the value at *at into a column, unless `column` is NULL. Moves *at past the value. */
static gputune_status read_value(void *row, const gt_column *column, char **at)
{
    char *text;
    gt_row_value value = {.text = NULL};
    bool is_quoted = **at == '"';
    if (is_quoted) {
        GT_TRY(take_string(&text, at));
    } else {
        text = take_word(at);
    }
    if (!column) {
        return GPUTUNE_OK;
    }
    bool is_text = column->kind == GT_COLUMN_TEXT || column->kind == GT_COLUMN_OPTIONAL ||
                   column->kind == GT_COLUMN_INPLACE;
    GT_REFUSE(is_text != is_quoted, GPUTUNE_ERECORDED,
              is_quoted ? "a string instead of a number" : "a number instead of a string");
    value.text = text;
    GT_REFUSE(column->kind == GT_COLUMN_INPLACE && strlen(text) >= column->bytes, GPUTUNE_ERECORDED,
              "a string is too long");
    GT_REFUSE(column->kind == GT_COLUMN_HASH && !read_hash(&value.hash, text, strlen(text)),
              GPUTUNE_ERECORDED, "a value is not a hash");
    if (!is_quoted && column->kind != GT_COLUMN_HASH) {
        GT_TRY(read_number(&value, column, text));
    }
    return gt_column_set(row, column, &value);
}

static gputune_status read_pairs(void *row, const gt_columns *columns, char *at)
{
    for (; *(at += strspn(at, " "));) {
        char *equals = strchr(at, '=');
        GT_REFUSE(!equals || !equals[1], GPUTUNE_ERECORDED, "a name has no value");
        *equals = '\0';
        size_t c = 0;
        while (c < columns->count && strcmp(columns->items[c].name, at) != 0) {
            c++;
        }
        at = equals + 1;
        GT_TRY(read_value(row, c < columns->count ? &columns->items[c] : NULL, &at));
    }
    return GPUTUNE_OK;
}

static gputune_status read_image(gt_image *out, const char *at)
{
    char *text, *data = NULL;
    void *packed = NULL;
    size_t count;
    unsigned long long bytes = strtoull(at, &text, 10);
    bool right = *text == ' ' && bytes > 0 && bytes <= IMAGE_MOST &&
                 base64_read(&packed, &count, text + 1, strlen(text + 1));
    uLongf unpacked = (uLongf)bytes;
    data = right ? malloc((size_t)bytes + 1) : NULL;
    right = data && uncompress((Bytef *)data, &unpacked, packed, count) == Z_OK &&
            unpacked == (uLongf)bytes;
    free(packed);
    if (!right || out->data) {
        free(data);
        return gt_fail(GPUTUNE_ERECORDED, "the compiled code in it cannot be decoded");
    }
    data[bytes] = '\0';
    *out = (gt_image){data, (size_t)bytes};
    return GPUTUNE_OK;
}

/* Reads a line of an entry. Lines whose first word is unknown are skipped. */
static gputune_status read_part(gt_wisdom_entry *entry, char *line)
{
    const char *word = take_word(&line);
    const gt_columns *columns = NULL;
    void *row = NULL;
    for (int i = 0; i < PARTS && !row; i++) {
        if (strcmp(word, parts[i].word) == 0) {
            row = (char *)entry + parts[i].offset;
            columns = parts[i].columns;
        }
    }
    if (strcmp(word, also_word) == 0) {
        GT_TRY(gt_array_push(&entry->also, (gt_trial){0}));
        row = &entry->also.items[entry->also.count - 1];
        columns = &gt_trial_columns;
    } else if (strcmp(word, variant_facts_word) == 0) {
        GT_TRY(gt_array_push(&entry->codes, ((gt_code){.ptx = false})));
        row = &entry->codes.items[entry->codes.count - 1];
        columns = &gt_code_columns;
    } else if (strcmp(word, variant_word) == 0) {
        GT_REFUSE(!entry->codes.count, GPUTUNE_ERECORDED,
                  "a line of facts is missing before the compiled code in it");
        row = &entry->codes.items[entry->codes.count - 1].image;
    }
    return !row ? GPUTUNE_OK : columns ? read_pairs(row, columns, line) : read_image(row, line);
}

static gputune_status read_body(gt_wisdom_entry *entry, const char *body, size_t length)
{
    GT_FREED char *copy = NULL;
    GT_TRY(gt_strndup(&copy, body, length));
    for (char *rest = copy, *line; (line = strsep(&rest, "\n"));) {
        GT_TRY(read_part(entry, line));
    }
    return GPUTUNE_OK;
}

static const char *find_end(const char *body)
{
    while (*body && strncmp(body, entry_word, strlen(entry_word)) != 0) {
        body += strcspn(body, "\n");
        body += *body == '\n';
    }
    return body;
}

static void free_codes(gt_wisdom_entry *entry)
{
    for (size_t i = 0; i < entry->codes.count; i++) {
        gt_code_free(&entry->codes.items[i]);
    }
    gt_array_free(&entry->codes);
}

void gt_wisdom_entry_free(gt_wisdom_entry *entry)
{
    free_codes(entry);
    gt_columns_free(&entry->site, &gt_site_columns);
    gt_columns_free(&entry->trial, &gt_trial_columns);
    gt_columns_free(&entry->standard, &gt_trial_columns);
    gt_stored_rule_free(&entry->rule);
    gt_trial_list_free(&entry->also);
    gt_winner_free(&entry->winner);
}

gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text)
{
    GT_SCOPED(gt_wisdom_entry_free) gt_wisdom_entry entry = {0};
    gt_hash sum;
    const char *head = find_end(*text);
    if (!*head) {
        *text = head;
        return GPUTUNE_ENOTFOUND;
    }
    const char *hex = head + strlen(entry_word), *body = hex + strcspn(hex, "\n");
    bool has_sum = read_hash(&sum, hex, (size_t)(body - hex));
    body += *body == '\n';
    const char *end = find_end(body);
    *text = end;
    GT_REFUSE(!has_sum || !gt_hash_equal(sum, gt_hash_bytes(body, (size_t)(end - body))),
              GPUTUNE_ERECORDED, "it was edited or is truncated");
    GT_TRY(read_body(&entry, body, (size_t)(end - body)));
    *out = gt_take(&entry);
    return GPUTUNE_OK;
}

/* ---- exporting ------------------------------------------------------------------------------- */

/* Maximum number of hints in an entry: trials of variants other than the winner and the default. */
enum { MOST_OTHERS = 16 };

typedef struct export_search {
    const gt_wanted *wanted;
    bool whole;
    gt_text *out;
    gt_hash_index done; /* entries exported so far, by site and space */
    uint32_t count;
} export_search;

static gputune_status take_other(void *context, gt_rows *row)
{
    gt_wisdom_entry *entry = context;
    GT_TRY(gt_array_push(&entry->also, (gt_trial){0}));
    gt_trial *trial = &entry->also.items[entry->also.count - 1];
    gt_rows_integer(row); /* skip the constant that comes before the trial's columns */
    GT_TRY(gt_columns_take(trial, row, &gt_trial_columns));
    if (gt_hash_equal(trial->hash, entry->trial.hash) ||
        gt_hash_equal(trial->hash, entry->standard.hash)) {
        gt_trial_list_drop(&entry->also, entry->also.count - 1);
    }
    return GPUTUNE_OK;
}

/* Exports a winner, unless a layer above has a winner of the same space. */
static gputune_status export_entry(export_search *search, gt_wisdom_entry *entry,
                                   gt_database *database)
{
    const gt_site *site = &entry->site;
    uint32_t first;
    if (!gt_is_wanted(search->wanted, site) || !gt_trial_is_correct(entry->trial.status)) {
        return GPUTUNE_OK;
    }
    const gt_hash key = gt_site_key(site->scenario.environment, site->hash);
    GT_TRY(gt_hash_index_intern(&search->done, gt_hash_join(key, entry->winner.terms.space),
                                search->count, &first));
    if (first != search->count) {
        return GPUTUNE_OK;
    }
    if (search->whole) {
        GT_TRY(gt_query_each(database, take_other, entry, GT_SQL_FASTEST_TRIALS, "thn",
                             site->scenario.environment, site->hash, MOST_OTHERS));
        GT_TRY(gt_winner_load_codes(&entry->winner, database));
    }
    gt_wisdom_write(search->out, entry);
    search->count++;
    return GPUTUNE_OK;
}

static gputune_status export_row(void *context, gt_rows *row)
{
    GT_SCOPED(gt_wisdom_entry_free) gt_wisdom_entry entry = {0};
    GT_TRY(gt_columns_take(&entry.site, row, &gt_site_columns));
    gt_rows_integer(row); /* skip the constant that comes before the trial's columns */
    GT_TRY(gt_columns_take(&entry.winner, row, &gt_winner_columns));
    GT_TRY(gt_columns_take(&entry.trial, row, &gt_trial_columns));
    GT_TRY(gt_columns_take(&entry.standard, row, &gt_trial_columns));
    return export_entry(context, &entry, row->database);
}

static gputune_status export_rows(gt_database *database, void *context)
{
    return gt_query_each(database, export_row, context, GT_SQL_WISDOM, "");
}

/* Adds the code of a source to an entry, if it is stored and the entry does not have it yet. */
static gputune_status add_variant(gt_wisdom_entry *entry, gt_store *store, gt_hash source)
{
    gt_code code;
    for (size_t i = 0; i < entry->codes.count; i++) {
        if (gt_hash_equal(entry->codes.items[i].source, source)) {
            return GPUTUNE_OK;
        }
    }
    const char *arch = entry->site.arch;
    gputune_status status = gt_store_find_cubin(&code, store, source, arch, false, NULL);
    if (status == GPUTUNE_ENOTFOUND) { /* code for the emulator is stored as PTX */
        status = gt_store_find_cubin(&code, store, source, arch, true, NULL);
    }
    if (status == GPUTUNE_OK) {
        status = gt_array_push(&entry->codes, code);
        if (status != GPUTUNE_OK) {
            gt_code_free(&code);
        }
    }
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status add_variants(gt_wisdom_entry *entry, gt_store *store)
{
    for (const char *at = entry->rule.sources; *at; at += *at == ' ') {
        gt_hash source;
        const size_t length = strcspn(at, " ");
        if (read_hash(&source, at, strcspn(at, " /"))) {
            GT_TRY(add_variant(entry, store, source));
        }
        at += length;
    }
    return GPUTUNE_OK;
}

static gputune_status export_rules(export_search *search, gt_store *store)
{
    GT_SCOPED(gt_listed_rules_free) gt_listed_rules rules = {0};
    GT_TRY(gt_store_rules(&rules, store, search->wanted));
    for (size_t i = 0; i < rules.count; i++) {
        gt_wisdom_entry entry = {.site = rules.items[i].site, .rule = rules.items[i].rule};
        gputune_status status = search->whole ? add_variants(&entry, store) : GPUTUNE_OK;
        gt_wisdom_write(search->out, &entry);
        free_codes(&entry);
        GT_TRY(status);
        search->count++;
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole)
{
    export_search search = {.wanted = wanted, .whole = whole, .out = out};
    gt_text_printf(out, "%s\n", gt_wisdom_heading);
    gputune_status status =
        wanted->rules ? GPUTUNE_OK : gt_store_read_all(store, export_rows, &search, NULL);
    GT_THEN(status, export_rules(&search, store));
    *count = search.count;
    gt_hash_index_free(&search.done);
    return status == GPUTUNE_EBUSY
               ? gt_fail(status, "the database is locked by another process; try again")
           : out->failed ? gt_fail_memory()
                         : status;
}

/* ---- importing ------------------------------------------------------------------------------- */

typedef GT_ARRAY(gt_wisdom_entry) entry_list;

typedef struct import_work {
    const entry_list *entries;
    const gt_wisdom_import *import;
} import_work;

static bool is_one_of(int value, int first, int last)
{
    return value >= first && value <= last;
}

static bool is_sound_site(const gt_site *site)
{
    return site->scenario.environment && site->scenario.kernel &&
           strlen(site->scenario.environment) < GT_ENVIRONMENT_MAX &&
           is_one_of(site->scenario.objective, 1, GPUTUNE_OBJECTIVE_COUNT - 1) &&
           is_one_of(site->scenario.cache, GPUTUNE_CACHE_COLD, GPUTUNE_CACHE_HOT);
}

static bool is_set(gt_hash hash)
{
    return hash.high || hash.low;
}

/* Compares two texts of an entry. NULL and "" are equal, because empty texts are not exported. */
static bool is_same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Returns true if the values of an entry are possible and its hashes match them. */
static bool is_sound(const gt_wisdom_entry *entry)
{
    const gt_site *site = &entry->site;
    const gt_winner *winner = &entry->winner;
    if (is_sound_site(site) && entry->rule.text) {
        return gt_hash_equal(gt_rule_hash(&site->scenario), site->hash);
    }
    if (!is_sound_site(site) || !is_set(winner->trial) ||
        !is_one_of((int)winner->terms.effort, GPUTUNE_CACHED_ONLY, GPUTUNE_EXHAUSTIVE) ||
        !gt_trial_is_correct(entry->trial.status) ||
        !is_one_of((int)entry->standard.status, GT_TRIAL_OK, GT_TRIAL_PROVED)) {
        return false;
    }
    return is_same_text(winner->config, entry->trial.config) &&
           gt_hash_equal(winner->trial, entry->trial.hash) && entry->trial.time.median >= 0 &&
           gt_hash_equal(gt_scenario_hash(&site->scenario), site->hash);
}

/* Adds a trial to the list of trials to import. A correct trial must be verified again unless
 * `believed` is true. */
static gputune_status offer_trial(gt_trial_list *out, const gt_trial *trial, bool believed)
{
    gt_trial offered = *trial;
    offered.proved_at = believed || !gt_trial_is_correct(trial->status) ? trial->proved_at : NULL;
    return is_set(trial->hash) ? gt_array_push(out, offered) : GPUTUNE_OK;
}

static bool counts_as_verified(const gt_wisdom_import *import, int driver_version)
{
    return import->trusted &&
           (import->driver_version == 0 || driver_version == import->driver_version);
}

static gputune_status import_entry(gt_database *database, const gt_wisdom_entry *entry,
                                   const gt_wisdom_import *import)
{
    GT_FREED gt_trial_list trials = {0};
    gt_winner winner = entry->winner;
    if (entry->rule.text) {
        gt_stored_rule rule = entry->rule;
        rule.proved &= counts_as_verified(import, rule.driver_version);
        const gt_rule_outcome offer = {.site = &entry->site,
                                       .rule = &rule,
                                       .codes = entry->codes.items,
                                       .code_count = rule.proved ? entry->codes.count : 0,
                                       .offered = true};
        return gt_rule_put(database, (void *)&offer);
    }
    const bool believed = counts_as_verified(import, winner.terms.driver_version);
    winner.terms.proved &= believed;
    if (!believed) {
        winner.code.image = winner.fallback.image = (gt_image){0};
    }
    GT_TRY(offer_trial(&trials, &entry->trial, believed));
    GT_TRY(offer_trial(&trials, &entry->standard, believed));
    for (size_t i = 0; i < entry->also.count; i++) {
        GT_TRY(offer_trial(&trials, &entry->also.items[i], believed));
    }
    const gt_outcome outcome = {.site = &entry->site,
                                .trials = trials.items,
                                .trial_count = trials.count,
                                .winner = &winner,
                                .offered = true,
                                .created = winner.created};
    return gt_winner_put(database, (void *)&outcome);
}

static gputune_status import_entries(gt_database *database, void *context)
{
    const import_work *work = context;
    for (size_t i = 0; i < work->entries->count; i++) {
        GT_TRY(import_entry(database, &work->entries->items[i], work->import));
    }
    return GPUTUNE_OK;
}

/* Reads all entries, but skips damaged ones, with a warning. */
static gputune_status read_entries(entry_list *out, gt_wisdom_import *import, const char *text)
{
    char first[256];
    gputune_status status;
    GT_TRY(gt_array_reserve(out));
    while ((status = gt_wisdom_read(&out->items[out->count], &text)) != GPUTUNE_ENOTFOUND) {
        gt_wisdom_entry *entry = &out->items[out->count];
        bool read = status == GPUTUNE_OK;
        GT_TRY(status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK);
        if (read && is_sound(entry)) {
            out->count++;
            GT_TRY(gt_array_reserve(out));
            continue;
        }
        if (!import->left_out++) {
            gt_snprintf(first, sizeof first, "%s",
                        read ? "it is inconsistent, or was written by another version of gputune"
                             : gt_message());
        }
        if (read) {
            gt_wisdom_entry_free(entry);
        }
    }
    if (import->left_out) {
        gt_log_line(import->log, GPUTUNE_LOG_WARNING, "%s: %u entr%s left out%s: %s", import->from,
                    import->left_out, import->left_out == 1 ? "y is" : "ies are",
                    import->left_out == 1 ? "" : "; the first", first);
    }
    return GPUTUNE_OK;
}

/* Copies a text, with "\n" in place of "\r\n", which mail, git and editors may have written. */
static gputune_status copy_lines(char **out, const char *text)
{
    GT_TRY(gt_strdup(out, text));
    char *to = *out;
    for (const char *from = *out; *from; from++) {
        if (from[0] != '\r' || from[1] != '\n') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return GPUTUNE_OK;
}

gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience)
{
    entry_list entries = {0};
    import_work work = {&entries, import};
    import->taken = import->left_out = 0;
    size_t length = strlen(gt_wisdom_heading);
    GT_FREED char *lines = NULL;
    if (text[strcspn(text, "\r\n")] == '\r') {
        GT_TRY(copy_lines(&lines, text));
        text = lines;
    }
    GT_REFUSE(strncmp(text, gt_wisdom_heading, length) != 0 ||
                  (text[length] && text[length] != '\n'),
              GPUTUNE_ERECORDED,
              "%s: not wisdom that this version can read; expected the first line '%s'",
              import->from, gt_wisdom_heading);
    gputune_status status = read_entries(&entries, import, text);
    if (status == GPUTUNE_OK && entries.count) {
        const bool keep = import->keep && gt_store_is_writable(store);
        status = keep ? gt_store_write(store, import_entries, &work, patience)
                      : gt_store_write_wisdom(store, import_entries, &work);
    }
    import->taken = status == GPUTUNE_OK ? (uint32_t)entries.count : 0;
    for (size_t i = 0; i < entries.count; i++) {
        gt_wisdom_entry_free(&entries.items[i]);
    }
    gt_array_free(&entries);
    return status;
}
