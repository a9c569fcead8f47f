/* Splits C++ text into tokens. The lexer skips comments, blanks and spliced lines, and never fails:
 * a byte that begins no token comes as GT_TOKEN_OTHER. */
#pragma once

#include "kernel/text/expression.h"

typedef enum gt_token_kind {
    GT_TOKEN_END,
    GT_TOKEN_NAME,
    GT_TOKEN_NUMBER,
    GT_TOKEN_STRING,      /* with its quotes, raw strings too */
    GT_TOKEN_CHARACTER,   /* with its quotes */
    GT_TOKEN_PUNCTUATION, /* the longest operator or bracket that matches */
    GT_TOKEN_DIRECTIVE,   /* '#' as the first token of a line */
    GT_TOKEN_OTHER        /* a byte that begins no token, or an unterminated string */
} gt_token_kind;

/* `text` points into the lexer's text. */
typedef struct gt_token {
    gt_token_kind kind;
    const char *text;
    size_t length;
    int line, column;
} gt_token;

/* `token` is the current one; the other fields are the lexer's own. A copy is a bookmark. */
typedef struct gt_lexer {
    gt_token token;
    const char *path;
    const char *at, *end, *line_start;
    int line, column_base;
    bool fresh_line;
    gt_place open_comment; /* of an unterminated comment; line 0: none */
    const char *form;      /* the expected form of this text, for messages; NULL: not known */
} gt_lexer;

/* Opens the lexer on text that begins at `place` in its file, and reads the first token. */
void gt_lexer_open(gt_lexer *lexer, const char *text, size_t length, gt_place place);
/* A lexer that is open on the whole text, or on a part of one; messages do not name its places. */
gt_lexer gt_lexer_of(const char *text);
gt_lexer gt_lexer_on(const char *text, size_t length);
/* Lets the lexer, or a copy of another one, end in front of this place of its text. */
void gt_lexer_end_at(gt_lexer *lexer, const char *end);
/* Opens *item on the next item of a list that commas separate, and moves the list after it.
 * Brackets, also of template arguments, hold an item together. false: the list has ended. */
bool gt_lexer_item(gt_lexer *item, gt_lexer *list);
/* Reads the next token into lexer->token; behind the last token it is always GT_TOKEN_END. */
void gt_lexer_next(gt_lexer *lexer);
/* Opens `line` on the directive after its '#', the current token, and moves after it. */
void gt_lexer_directive(gt_lexer *lexer, gt_lexer *line);
/* Does the same with the next directive at or behind the current token; false: there is none. */
bool gt_lexer_find_directive(gt_lexer *lexer, gt_lexer *line);

/* Returns whether a directive `word` of the text has the token `name`. */
bool gt_has_directive(const char *text, const char *word, const char *name);

/* Returns whether the current token is exactly `text` (a name or punctuation). */
bool gt_lexer_is(const gt_lexer *lexer, const char *text);
/* Returns whether the token is the current one or one behind it. */
bool gt_lexer_has(gt_lexer lexer, const gt_token *token);
/* The token behind the current one. */
gt_token gt_lexer_peek(gt_lexer lexer);
/* Steps over the current token if it is `text`, and returns whether it is. */
bool gt_lexer_accept(gt_lexer *lexer, const char *text);
/* Steps over the current token if it is one of the blank-separated words; returns which, or -1. */
int gt_lexer_accept_any(gt_lexer *lexer, const char *words);
gt_place gt_lexer_place(const gt_lexer *lexer);
bool gt_token_is(const gt_token *token, const char *text);
/* Returns whether the token is a string in plain double quotes. */
bool gt_token_is_string(const gt_token *token);
/* Returns whether the token is one of `words`, which blanks separate. */
bool gt_token_is_any(const gt_token *token, const char *words);
bool gt_token_equals(const gt_token *a, const gt_token *b);
/* The token that the name would be. */
gt_token gt_token_of(const char *name);
/* Returns how many template brackets the token opens, less those it closes: "<" 1, ">>" -2. */
int gt_token_angles(const gt_token *token);
/* With an opening bracket, one of `open`, as the current token: moves after the one of `close` that
 * closes it and returns its place; NULL: there is none. Steps over any other token alone. */
const char *gt_lexer_skip(gt_lexer *lexer, const char *open, const char *close);
/* Moves to the next of these tokens that is outside of brackets, or to the end. */
void gt_lexer_skip_to(gt_lexer *lexer, const char *words);
/* The same with the '<' of template arguments; it stops in front of a token that closes more. */
const char *gt_lexer_skip_angles(gt_lexer *lexer);

/* Sets the message, with "path:line:column: " in front of it, and returns ETEMPLATE. */
#define gt_fail_at(place, ...) (gt_message_at(place, __VA_ARGS__), gt_failure(GPUTUNE_ETEMPLATE))
/* Does the same where `condition` holds, and returns that from the enclosing function. */
#define GT_REFUSE_AT(condition, place, ...)                                                        \
    GT_TRY((condition) ? gt_fail_at(place, __VA_ARGS__) : GPUTUNE_OK)
void gt_message_at(gt_place place, const char *format, ...) GT_PRINTF(2, 3);
/* Fails with ETEMPLATE "more than MOST WHAT; expected fewer" where `count` has reached `most`. */
gputune_status gt_check_room(size_t count, size_t most, const char *what, gt_place place);
/* Fails with ETEMPLATE: "found 'x'; expected WHAT", and the lexer's form unless WHAT has one. */
gputune_status gt_fail_expected(const gt_lexer *lexer, const char *what);
/* Does the same unless `condition` holds, and returns that from the enclosing function. */
#define GT_EXPECT(condition, lexer, what)                                                          \
    GT_TRY((condition) ? GPUTUNE_OK : gt_fail_expected(lexer, what))
/* Steps over `text` or fails as above. */
gputune_status gt_lexer_expect(gt_lexer *lexer, const char *text);
