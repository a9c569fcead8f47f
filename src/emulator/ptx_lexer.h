/* Splits PTX text into tokens. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_token_kind {
    PTX_END,
    PTX_WORD,      /* a name, register or opcode, with its dots: ld.global.f32, %tid.x */
    PTX_DIRECTIVE, /* a word that begins with a dot: .entry, .b32 */
    PTX_INTEGER,   /* value */
    PTX_FLOAT32,   /* 0f3F800000; `value` has the bits */
    PTX_FLOAT64,   /* 0d3FF0000000000000 or 1.0; `value` has the bits */
    PTX_STRING,    /* `text` is without the quotes */
    PTX_PUNCTUATION,
    PTX_BAD /* an invalid character */
} ptx_token_kind;

typedef struct ptx_token {
    ptx_token_kind kind;
    const char *text; /* part of the source, not NUL-terminated */
    size_t length;
    uint64_t value;
    int line;
} ptx_token;

typedef struct ptx_lexer {
    const char *next, *end;
    int line;
} ptx_lexer;

void ptx_lexer_begin(ptx_lexer *lexer, const char *text, size_t bytes);

/* Reads the next token. At the end of the text, always returns PTX_END. */
ptx_token ptx_lexer_next(ptx_lexer *lexer);

bool ptx_token_is(const ptx_token *token, const char *text);
