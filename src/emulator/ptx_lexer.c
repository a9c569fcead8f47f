/* Splits PTX text into tokens. */
#include "emulator/ptx_lexer.h"

#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void ptx_lexer_begin(ptx_lexer *lexer, const char *text, size_t bytes)
{
    const char *nul = memchr(text, 0, bytes);
    *lexer = (ptx_lexer){.next = text, .end = nul ? nul : text + bytes, .line = 1};
}

bool ptx_token_is(const ptx_token *token, const char *text)
{
    return token->kind != PTX_STRING && strlen(text) == token->length &&
           memcmp(text, token->text, token->length) == 0;
}

static int peek_char(const ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->next) > ahead ? (unsigned char)lexer->next[ahead] : 0;
}

static void skip_comment(ptx_lexer *lexer)
{
    lexer->next += 2;
    while (lexer->next < lexer->end && !(peek_char(lexer, 0) == '*' && peek_char(lexer, 1) == '/'))
        lexer->line += *lexer->next++ == '\n';
    lexer->next += lexer->end - lexer->next >= 2 ? 2 : lexer->end - lexer->next;
}

static void skip_line(ptx_lexer *lexer)
{
    while (lexer->next < lexer->end && *lexer->next != '\n')
        lexer->next++;
}

static void skip_blanks(ptx_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        int c = peek_char(lexer, 0);
        if (c == '/' && peek_char(lexer, 1) == '/')
            skip_line(lexer);
        else if (c == '/' && peek_char(lexer, 1) == '*')
            skip_comment(lexer);
        else if (isspace(c))
            lexer->line += *lexer->next++ == '\n';
        else
            return;
    }
}

static bool is_name(int c)
{
    return isalnum(c) || c == '_' || c == '$';
}

/* Returns the length of a word, including dots and double colons, such as ld.global.f32. */
static size_t word_length(const ptx_lexer *lexer)
{
    size_t length = 1;
    for (;; length++) {
        int c = peek_char(lexer, length);
        if (is_name(c))
            continue;
        if (c == '.' && is_name(peek_char(lexer, length + 1)))
            continue;
        if (c == ':' && peek_char(lexer, length + 1) == ':' &&
            is_name(peek_char(lexer, length + 2))) {
            length++;
            continue;
        }
        return length;
    }
}

static size_t directive_length(const ptx_lexer *lexer)
{
    size_t length = 1;
    while (is_name(peek_char(lexer, length)))
        length++;
    return length;
}

static int digit_value(int c)
{
    if (isdigit(c))
        return c - '0';
    return isalpha(c) ? tolower(c) - 'a' + 10 : 99;
}

static size_t read_digits(const ptx_lexer *lexer, size_t from, int base, uint64_t *value)
{
    *value = 0;
    while (digit_value(peek_char(lexer, from)) < base)
        *value = *value * (unsigned)base + (unsigned)digit_value(peek_char(lexer, from++));
    return from;
}

static bool is_decimal_float(const ptx_lexer *lexer)
{
    size_t i = 0;
    while (isdigit(peek_char(lexer, i)))
        i++;
    int c = peek_char(lexer, i);
    return (c == '.' && isdigit(peek_char(lexer, i + 1))) || c == 'e' || c == 'E';
}

static size_t read_decimal_float(const ptx_lexer *lexer, uint64_t *value)
{
    char text[64] = {0};
    size_t length = 0;
    for (; length + 1 < sizeof text; length++) {
        int c = peek_char(lexer, length);
        bool sign = (c == '-' || c == '+') && length && (text[length - 1] | 32) == 'e';
        if (!isdigit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        text[length] = (char)c;
    }
    double number = gt_strtod(text, NULL);
    memcpy(value, &number, sizeof number);
    return length;
}

static void read_number(ptx_lexer *lexer, ptx_token *token)
{
    int c = peek_char(lexer, 0), second = peek_char(lexer, 1) | 32;
    token->kind = PTX_INTEGER;
    if (c == '0' && second == 'x')
        token->length = read_digits(lexer, 2, 16, &token->value);
    else if (c == '0' && second == 'b')
        token->length = read_digits(lexer, 2, 2, &token->value);
    else if (c == '0' && (second == 'f' || second == 'd')) {
        token->kind = second == 'f' ? PTX_FLOAT32 : PTX_FLOAT64;
        token->length = read_digits(lexer, 2, 16, &token->value);
        return;
    } else if (is_decimal_float(lexer)) {
        token->kind = PTX_FLOAT64;
        token->length = read_decimal_float(lexer, &token->value);
        return;
    } else
        token->length = read_digits(lexer, 0, c == '0' ? 8 : 10, &token->value);
    if ((peek_char(lexer, token->length) | 32) == 'u')
        token->length++;
}

static void read_string(ptx_lexer *lexer, ptx_token *token)
{
    lexer->next++;
    token->kind = PTX_STRING;
    token->text = lexer->next;
    while (token->length < (size_t)(lexer->end - lexer->next) && token->text[token->length] != '"')
        token->length++;
    if (lexer->next + token->length < lexer->end)
        lexer->next++;
}

static bool starts_word(const ptx_lexer *lexer)
{
    int c = peek_char(lexer, 0);
    return isalpha(c) || c == '_' || c == '$' || (c == '%' && is_name(peek_char(lexer, 1)));
}

ptx_token ptx_lexer_next(ptx_lexer *lexer)
{
    skip_blanks(lexer);
    ptx_token token = {.kind = PTX_PUNCTUATION, .text = lexer->next, .line = lexer->line};
    int c = peek_char(lexer, 0);
    if (lexer->next == lexer->end) {
        token.kind = PTX_END;
    } else if (starts_word(lexer)) {
        token.kind = PTX_WORD;
        token.length = word_length(lexer);
    } else if (c == '.' && is_name(peek_char(lexer, 1))) {
        token.kind = PTX_DIRECTIVE;
        token.length = directive_length(lexer);
    } else if (isdigit(c)) {
        read_number(lexer, &token);
    } else if (c == '"') {
        read_string(lexer, &token);
    } else {
        token.kind = strchr(",;:()[]{}<>@!|+-*/=~&^%?", c) ? PTX_PUNCTUATION : PTX_BAD;
        token.length = 1;
    }
    lexer->next += token.length;
    return token;
}
