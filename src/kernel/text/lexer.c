/* Splits C++ text into tokens. */
#include "kernel/text/lexer.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const punctuation[] = {
    "<<=", ">>=", "...", "<=>", "->*", "##", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", ".*"};
static const char second_bytes[] = "<>=.-#+&|:*"; /* the second bytes of the items above */

static inline bool name_byte(char c)
{
    const unsigned char letter = (unsigned char)(c | 32);
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void new_line(gt_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->at;
    lexer->column_base = 1;
}

static void skip_byte(gt_lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        new_line(lexer);
    }
}

/* Compares the first byte before calling strlen() and memcmp(), because it usually differs. */
static inline bool looking_at(const gt_lexer *lexer, const char *text)
{
    const size_t left = (size_t)(lexer->end - lexer->at);
    return left > 0 && *lexer->at == *text && left >= strlen(text) &&
           memcmp(lexer->at, text, strlen(text)) == 0;
}

/* Skips a backslash at the end of a line. Like most compilers, allows blanks after it. */
static bool skip_splice(gt_lexer *lexer)
{
    if (!looking_at(lexer, "\\")) {
        return false;
    }
    const char *at = lexer->at + 1;
    while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r')) {
        at++;
    }
    if (at == lexer->end || *at != '\n') {
        return false;
    }
    lexer->at = at + 1;
    new_line(lexer);
    return true;
}

static int column(const gt_lexer *lexer)
{
    return (int)(lexer->at - lexer->line_start) + lexer->column_base;
}

static void skip_line_comment(gt_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        if (!skip_splice(lexer)) {
            lexer->at++;
        }
    }
}

static void skip_block_comment(gt_lexer *lexer)
{
    gt_place place = {lexer->path, lexer->line, column(lexer)};
    lexer->at += 2;
    while (lexer->at < lexer->end && !looking_at(lexer, "*/")) {
        skip_byte(lexer);
    }
    if (lexer->at == lexer->end) {
        lexer->open_comment = place;
        return;
    }
    lexer->at += 2;
}

static bool begins_token(char c)
{
    return (unsigned char)c > ' ' && c != '/' && c != '\\';
}

static void skip_blanks(gt_lexer *lexer)
{
    while (lexer->at < lexer->end && !begins_token(*lexer->at)) {
        if (*lexer->at == ' ') { /* fast path, because the text may contain many blanks */
            lexer->at++;
        } else if (looking_at(lexer, "//")) {
            skip_line_comment(lexer);
        } else if (looking_at(lexer, "/*")) {
            skip_block_comment(lexer);
        } else if (*lexer->at == '\n') {
            skip_byte(lexer);
            lexer->fresh_line = true;
        } else if (isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else if (!skip_splice(lexer)) {
            return;
        }
    }
}

/* Skips a quoted text, starting at its quote. Returns false if the line has no closing quote. */
static bool skip_quoted(gt_lexer *lexer, char quote)
{
    lexer->at++;
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        if (skip_splice(lexer)) {
            continue;
        }
        char c = *lexer->at++;
        if (c == quote) {
            return true;
        }
        if (c == '\\' && lexer->at < lexer->end && *lexer->at != '\n') {
            lexer->at++;
        }
    }
    return false;
}

/* Skips a raw string, R"tag( … )tag", starting at its first quote. */
static bool skip_raw(gt_lexer *lexer)
{
    enum { TAG_MAX = 16 };
    char closing[TAG_MAX + 3] = ")";
    size_t tag = 0;
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '(' && tag < TAG_MAX) {
        closing[++tag] = *at++;
    }
    if (at == lexer->end || *at != '(') {
        return skip_quoted(lexer, '"');
    }
    closing[tag + 1] = '"';
    while (lexer->at < lexer->end && !looking_at(lexer, closing)) {
        skip_byte(lexer);
    }
    bool closed = lexer->at < lexer->end;
    lexer->at += closed ? tag + 2 : 0;
    return closed;
}

static gt_token_kind read_name(gt_lexer *lexer)
{
    const char *begin = lexer->at;
    while (lexer->at < lexer->end && name_byte(*lexer->at)) {
        lexer->at++;
    }
    bool raw = lexer->at[-1] == 'R' && lexer->at - begin <= 3;
    if (raw && lexer->at < lexer->end && *lexer->at == '"') {
        return skip_raw(lexer) ? GT_TOKEN_STRING : GT_TOKEN_OTHER;
    }
    return GT_TOKEN_NAME;
}

static gt_token_kind read_number(gt_lexer *lexer)
{
    const char *begin = lexer->at;
    while (lexer->at < lexer->end) {
        bool sign = lexer->at > begin && (*lexer->at == '+' || *lexer->at == '-') &&
                    strchr("eEpP", lexer->at[-1]) && !(begin[0] == '0' && (begin[1] | 32) == 'x');
        bool separates =
            *lexer->at == '\'' && lexer->at + 1 < lexer->end && name_byte(lexer->at[1]);
        if (!name_byte(*lexer->at) && *lexer->at != '.' && !sign && !separates) {
            break;
        }
        lexer->at++;
    }
    return GT_TOKEN_NUMBER;
}

static gt_token_kind read_punctuation(gt_lexer *lexer)
{
    bool longer =
        lexer->at + 1 < lexer->end && memchr(second_bytes, lexer->at[1], sizeof second_bytes - 1);
    for (size_t i = 0; longer && i < sizeof punctuation / sizeof *punctuation; i++) {
        if (looking_at(lexer, punctuation[i])) {
            lexer->at += strlen(punctuation[i]);
            return GT_TOKEN_PUNCTUATION;
        }
    }
    char c = *lexer->at++;
    return c && strchr("+-*/%&|^~!<>=?:;,.()[]{}#", c) ? GT_TOKEN_PUNCTUATION : GT_TOKEN_OTHER;
}

static gt_token_kind read_token(gt_lexer *lexer, bool first)
{
    char c = *lexer->at;
    if (c == '#' && first && !looking_at(lexer, "##")) {
        lexer->at++;
        return GT_TOKEN_DIRECTIVE;
    }
    bool fraction = c == '.' && lexer->at + 1 < lexer->end && isdigit((unsigned char)lexer->at[1]);
    if (isdigit((unsigned char)c) || fraction) {
        return read_number(lexer);
    }
    if (name_byte(c)) {
        return read_name(lexer);
    }
    if (c == '"' || c == '\'') {
        const gt_token_kind kind = c == '"' ? GT_TOKEN_STRING : GT_TOKEN_CHARACTER;
        return skip_quoted(lexer, c) ? kind : GT_TOKEN_OTHER;
    }
    return read_punctuation(lexer);
}

void gt_lexer_next(gt_lexer *lexer)
{
    skip_blanks(lexer);
    gt_token token = {GT_TOKEN_END, lexer->at, 0, lexer->line, column(lexer)};
    if (lexer->at < lexer->end) {
        bool first = lexer->fresh_line;
        lexer->fresh_line = false;
        token.kind = read_token(lexer, first);
        token.length = (size_t)(lexer->at - token.text);
    }
    lexer->token = token;
}

void gt_lexer_open(gt_lexer *lexer, const char *text, size_t length, gt_place place)
{
    *lexer = (gt_lexer){.path = place.path,
                        .at = text,
                        .end = text + length,
                        .line_start = text,
                        .line = place.line,
                        .column_base = place.column,
                        .fresh_line = true};
    gt_lexer_next(lexer);
}

gt_lexer gt_lexer_on(const char *text, size_t length)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, text, length, (gt_place){"", 1, 1});
    return lexer;
}

gt_lexer gt_lexer_of(const char *text)
{
    return gt_lexer_on(text, strlen(text));
}

void gt_lexer_end_at(gt_lexer *lexer, const char *end)
{
    lexer->end = end;
    if (lexer->token.text >= end) {
        lexer->token.kind = GT_TOKEN_END;
        lexer->token.length = 0;
    }
}

bool gt_lexer_item(gt_lexer *item, gt_lexer *list)
{
    const char *end = list->token.text;
    int depth = 0, angles = 0;
    *item = *list;
    for (; list->token.kind != GT_TOKEN_END; gt_lexer_next(list)) {
        depth += gt_token_is_any(&list->token, "( [ {") - gt_token_is_any(&list->token, ") ] }");
        angles += depth > 0 ? 0 : gt_token_angles(&list->token);
        /* in a >>, the first > belongs to the item, and the second > ends the list */
        end = angles == -1 && list->token.length > 1 ? list->token.text + 1 : end;
        if (depth < 0 || angles < 0 || (depth + angles == 0 && gt_lexer_is(list, ","))) {
            break;
        }
        end = list->token.text + list->token.length;
    }
    gt_lexer_end_at(item, end);
    return gt_lexer_accept(list, ",") || item->token.kind != GT_TOKEN_END;
}

void gt_lexer_directive(gt_lexer *lexer, gt_lexer *line)
{
    *line = *lexer;
    line->fresh_line = false;
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        /* a directive continues after a spliced line end and after a block comment */
        if (*lexer->at == ' ') {
            lexer->at++;
        } else if (looking_at(lexer, "//")) {
            skip_line_comment(lexer);
        } else if (looking_at(lexer, "/*")) {
            skip_block_comment(lexer);
        } else if (*lexer->at == '"' || *lexer->at == '\'') {
            (void)skip_quoted(lexer, *lexer->at);
        } else if (!skip_splice(lexer)) {
            lexer->at++;
        }
    }
    line->end = lexer->at;
    gt_lexer_next(line);
    gt_lexer_next(lexer);
}

bool gt_lexer_find_directive(gt_lexer *lexer, gt_lexer *line)
{
    while (lexer->token.kind != GT_TOKEN_DIRECTIVE) {
        if (lexer->token.kind == GT_TOKEN_END) {
            return false;
        }
        gt_lexer_next(lexer);
    }
    gt_lexer_directive(lexer, line);
    return true;
}

bool gt_has_directive(const char *text, const char *word, const char *name)
{
    const gt_token sought = gt_token_of(name);
    bool has = false;
    for (gt_lexer lexer = gt_lexer_of(text), line;
         !has && gt_lexer_find_directive(&lexer, &line);) {
        has = gt_lexer_accept(&line, word) && gt_lexer_has(line, &sought);
    }
    return has;
}

bool gt_token_is(const gt_token *token, const char *text)
{
    return token->kind != GT_TOKEN_END && *token->text == *text && token->length == strlen(text) &&
           memcmp(token->text, text, token->length) == 0;
}

bool gt_token_is_any(const gt_token *token, const char *words)
{
    return token->kind != GT_TOKEN_END && gt_is_any(token->text, token->length, words);
}

bool gt_token_is_string(const gt_token *token)
{
    return token->kind == GT_TOKEN_STRING && token->text[0] == '"';
}

bool gt_token_equals(const gt_token *a, const gt_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

gt_token gt_token_of(const char *name)
{
    return (gt_token){.kind = GT_TOKEN_NAME, .text = name, .length = strlen(name)};
}

int gt_token_angles(const gt_token *token)
{
    return gt_token_is(token, "<") - gt_token_is(token, ">") - 2 * gt_token_is(token, ">>");
}

bool gt_lexer_is(const gt_lexer *lexer, const char *text)
{
    return gt_token_is(&lexer->token, text);
}

bool gt_lexer_has(gt_lexer lexer, const gt_token *token)
{
    while (lexer.token.kind != GT_TOKEN_END && !gt_token_equals(&lexer.token, token)) {
        gt_lexer_next(&lexer);
    }
    return lexer.token.kind != GT_TOKEN_END;
}

gt_token gt_lexer_peek(gt_lexer lexer)
{
    gt_lexer_next(&lexer);
    return lexer.token;
}

bool gt_lexer_accept(gt_lexer *lexer, const char *text)
{
    if (!gt_lexer_is(lexer, text)) {
        return false;
    }
    gt_lexer_next(lexer);
    return true;
}

int gt_lexer_accept_any(gt_lexer *lexer, const char *words)
{
    const gt_token token = lexer->token;
    const int word = token.kind == GT_TOKEN_END ? -1 : gt_word_at(token.text, token.length, words);
    if (word >= 0) {
        gt_lexer_next(lexer);
    }
    return word;
}

const char *gt_lexer_skip(gt_lexer *lexer, const char *open, const char *close)
{
    const char *at;
    int depth = 0;
    do {
        depth += gt_token_is_any(&lexer->token, open) - gt_token_is_any(&lexer->token, close);
        at = lexer->token.text;
        gt_lexer_next(lexer);
    } while (depth > 0 && lexer->token.kind != GT_TOKEN_END);
    return depth <= 0 ? at : NULL;
}

void gt_lexer_skip_to(gt_lexer *lexer, const char *words)
{
    while (lexer->token.kind != GT_TOKEN_END && !gt_token_is_any(&lexer->token, words)) {
        gt_lexer_skip(lexer, "( [ {", ") ] }");
    }
}

const char *gt_lexer_skip_angles(gt_lexer *lexer)
{
    const char *at = NULL;
    int depth = 0, parentheses = 0;
    do {
        parentheses += gt_lexer_is(lexer, "(") - gt_lexer_is(lexer, ")");
        depth += parentheses > 0 ? 0 : gt_token_angles(&lexer->token);
        if (depth < 0) {
            return NULL;
        }
        at = lexer->token.text + lexer->token.length - 1;
        gt_lexer_next(lexer);
    } while (depth > 0 && lexer->token.kind != GT_TOKEN_END);
    return depth == 0 ? at : NULL;
}

gt_place gt_lexer_place(const gt_lexer *lexer)
{
    return (gt_place){lexer->path, lexer->token.line, lexer->token.column};
}

void gt_message_at(gt_place place, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = gt_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gt_message_set("%s:%d:%d: %s", place.path, place.line, place.column, length < 0 ? "?" : text);
}

gputune_status gt_check_room(size_t count, size_t most, const char *what, gt_place place)
{
    return count < most ? GPUTUNE_OK
                        : gt_fail_at(place, "more than %zu %s; expected fewer", most, what);
}

gputune_status gt_fail_expected(const gt_lexer *lexer, const char *what)
{
    enum { SHOWN = 40 };
    const gt_token *token = &lexer->token;
    bool shows = !lexer->form || strstr(what, "as in ") || strstr(what, "such as ");
    const char *form = shows ? "" : lexer->form, *as = shows ? "" : ", as in ";
    GT_REFUSE_AT(token->kind == GT_TOKEN_END, gt_lexer_place(lexer),
                 "the pragma ends here; expected %s%s%s", what, as, form);
    int shown = token->length > SHOWN ? SHOWN : (int)token->length;
    return gt_fail_at(gt_lexer_place(lexer), "found '%.*s'; expected %s%s%s", shown, token->text,
                      what, as, form);
}

gputune_status gt_lexer_expect(gt_lexer *lexer, const char *text)
{
    char what[32];
    if (gt_lexer_accept(lexer, text)) {
        return GPUTUNE_OK;
    }
    (void)snprintf(what, sizeof what, "'%s'", text);
    return gt_fail_expected(lexer, what);
}
