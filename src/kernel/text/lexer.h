/* Splits C++ text into tokens, and skips comments, blanks and spliced lines. Never fails: a byte
 * that begins no token becomes GT_TOKEN_OTHER. */
#pragma once

#include "kernel/text/expression.h"

typedef enum gt_token_kind {
    GT_TOKEN_END,
    GT_TOKEN_NAME,
    GT_TOKEN_NUMBER,
    GT_TOKEN_STRING,      /* a string literal or raw string, with quotes */
    GT_TOKEN_CHARACTER,   /* a character literal, with quotes */
    GT_TOKEN_PUNCTUATION, /* the longest matching operator or bracket */
    GT_TOKEN_DIRECTIVE,   /* '#' as the first token of a line */
    GT_TOKEN_OTHER        /* a byte that begins no token, or an unterminated string */
} gt_token_kind;

/* A token; `text` points into the text of its lexer. */
typedef struct gt_token {
    gt_token_kind kind;
    const char *text;
    size_t length;
    int line, column;
} gt_token;

/* A lexer with its current token; other members are private. A copy serves as a bookmark. */
typedef struct gt_lexer {
    gt_token token;
    const char *path;
    const char *at, *end, *line_start;
    int line, column_base;
    bool fresh_line;
    gt_place open_comment; /* place of an unterminated comment, or line 0 */
    const char *form;      /* an example of the clause for messages, or NULL */
} gt_lexer;

/* Opens the lexer on text that begins at `place` of its file, and reads the first token. */
void gt_lexer_open(gt_lexer *lexer, const char *text, size_t length, gt_place place);
/* Return a lexer on a text. Its places are not valid in messages. */
gt_lexer gt_lexer_of(const char *text);
gt_lexer gt_lexer_on(const char *text, size_t length);
/* Makes the lexer, which may be a copy, end before position `end` of its text. */
void gt_lexer_end_at(gt_lexer *lexer, const char *end);
/* Opens *item on the next item of a comma-separated list, and moves `list` to after the item.
 * Commas in brackets or template arguments do not separate items. Returns false at the end. */
bool gt_lexer_item(gt_lexer *item, gt_lexer *list);
/* Reads the next token into lexer->token. At the end of the text, the token is GT_TOKEN_END. */
void gt_lexer_next(gt_lexer *lexer);
/* Opens `line` on the current directive after its '#', and moves the lexer after the directive. */
void gt_lexer_directive(gt_lexer *lexer, gt_lexer *line);
/* Finds the next directive, starting at the current token, and reads it like gt_lexer_directive().
 * Returns false if there is none. */
bool gt_lexer_find_directive(gt_lexer *lexer, gt_lexer *line);

/* Returns true if the text has a directive `word` with the token `name`. */
bool gt_has_directive(const char *text, const char *word, const char *name);

/* Returns true if the current token is exactly `text` (a name or punctuation). */
bool gt_lexer_is(const gt_lexer *lexer, const char *text);
/* Returns true if the current token or a later one equals `token`. */
bool gt_lexer_has(gt_lexer lexer, const gt_token *token);
gt_token gt_lexer_peek(gt_lexer lexer);
/* Steps over the current token if it equals `text`, and returns true if it did. */
bool gt_lexer_accept(gt_lexer *lexer, const char *text);
/* Steps over the current token if it is one of the blank-separated words. Returns the index of the
 * word, or -1. */
int gt_lexer_accept_any(gt_lexer *lexer, const char *words);
gt_place gt_lexer_place(const gt_lexer *lexer);
bool gt_token_is(const gt_token *token, const char *text);
/* Returns true if the token is a string in plain double quotes. */
bool gt_token_is_string(const gt_token *token);
/* Returns true if the token is one of the blank-separated words. */
bool gt_token_is_any(const gt_token *token, const char *words);
bool gt_token_equals(const gt_token *a, const gt_token *b);
gt_token gt_token_of(const char *name);
/* Returns how many template brackets the token opens minus how many it closes: 1 for "<", -2 for
 * ">>". */
int gt_token_angles(const gt_token *token);
/* Skips the current token, or a whole bracketed group if the token is one of the brackets in
 * `open`. Returns the position of the group's closing bracket, which `close` lists, or NULL if
 * there is none. */
const char *gt_lexer_skip(gt_lexer *lexer, const char *open, const char *close);
/* Moves to the next token outside of brackets that is one of the words, or to the end. */
void gt_lexer_skip_to(gt_lexer *lexer, const char *words);
/* Moves over template arguments, starting at their '<', and returns the position of the '>'.
 * Returns NULL if a token closes more brackets than are open. */
const char *gt_lexer_skip_angles(gt_lexer *lexer);

/* Sets the message, prefixed by "path:line:column: ", and evaluates to ETEMPLATE. */
#define gt_fail_at(place, ...) (gt_message_at(place, __VA_ARGS__), gt_failure(GPUTUNE_ETEMPLATE))
/* Returns from the enclosing function with gt_fail_at() if `condition` is true. */
#define GT_REFUSE_AT(condition, place, ...)                                                        \
    GT_TRY((condition) ? gt_fail_at(place, __VA_ARGS__) : GPUTUNE_OK)
void gt_message_at(gt_place place, const char *format, ...) GT_PRINTF(2, 3);
/* Fails with ETEMPLATE "more than MOST WHAT; expected fewer" if `count` has reached `most`. */
gputune_status gt_check_room(size_t count, size_t most, const char *what, gt_place place);
/* Fails with ETEMPLATE: "found 'x'; expected WHAT". Adds the lexer's example unless WHAT contains
 * one. */
gputune_status gt_fail_expected(const gt_lexer *lexer, const char *what);
/* Returns from the enclosing function with gt_fail_expected() unless `condition` is true. */
#define GT_EXPECT(condition, lexer, what)                                                          \
    GT_TRY((condition) ? GPUTUNE_OK : gt_fail_expected(lexer, what))
/* Steps over `text`, or fails like gt_fail_expected(). */
gputune_status gt_lexer_expect(gt_lexer *lexer, const char *text);
