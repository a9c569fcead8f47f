/* Splits C++ text into tokens. Skips comments, blanks and spliced line ends. Cannot fail, because a
 * byte that cannot start a token becomes GT_TOKEN_OTHER. */
#pragma once

#include "kernel/text/expression.h"

typedef enum gt_token_kind {
    GT_TOKEN_END,
    GT_TOKEN_NAME,
    GT_TOKEN_NUMBER,
    GT_TOKEN_STRING,      /* a string literal or raw string, including its quotes */
    GT_TOKEN_CHARACTER,   /* a character literal, including its quotes */
    GT_TOKEN_PUNCTUATION, /* a bracket or operator; the longest one that matches */
    GT_TOKEN_DIRECTIVE,   /* a '#' that is the first token of a line */
    GT_TOKEN_OTHER        /* a byte that cannot start a token, or an unterminated string */
} gt_token_kind;

/* A token; `text` points into the text of its lexer. */
typedef struct gt_token {
    gt_token_kind kind;
    const char *text;
    size_t length;
    int line, column;
} gt_token;

/* A lexer with its current token; other members are private. Assign a saved copy to go back. */
typedef struct gt_lexer {
    gt_token token;
    const char *path;
    const char *at, *end, *line_start;
    int line, column_base;
    bool fresh_line;
    gt_place open_comment; /* where an unterminated comment starts; line 0 if there is none */
    const char *form;      /* an example of the clause, for error messages, or NULL */
} gt_lexer;

/* Opens a lexer on text that is at `place` in its file, and reads the first token. */
void gt_lexer_open(gt_lexer *lexer, const char *text, size_t length, gt_place place);
/* Return a lexer for a text. The positions of its tokens must not be used in messages. */
gt_lexer gt_lexer_of(const char *text);
gt_lexer gt_lexer_on(const char *text, size_t length);
/* Makes a lexer end before position `end` of its text. */
void gt_lexer_end_at(gt_lexer *lexer, const char *end);
/* Sets *item to a lexer for the next item of a comma-separated list, and moves `list` past it.
 * Commas in brackets or template arguments do not end items. Returns false after the last item. */
bool gt_lexer_item(gt_lexer *item, gt_lexer *list);
/* Reads the next token into lexer->token, which becomes GT_TOKEN_END at the end of the text. */
void gt_lexer_next(gt_lexer *lexer);
/* Sets *line to a lexer for the current directive, after its '#', and moves `lexer` past it. */
void gt_lexer_directive(gt_lexer *lexer, gt_lexer *line);
/* Searches for a directive, starting with the current token, and reads it with
 * gt_lexer_directive(). Returns false if there are no more directives. */
bool gt_lexer_find_directive(gt_lexer *lexer, gt_lexer *line);

/* Returns true if the text has a directive `word`, such as "define", followed by `name`. */
bool gt_has_directive(const char *text, const char *word, const char *name);

/* Returns true if the current token is exactly `text` (a name or punctuation). */
bool gt_lexer_is(const gt_lexer *lexer, const char *text);
/* Returns true if the current token or any later token equals `token`. */
bool gt_lexer_has(gt_lexer lexer, const gt_token *token);
gt_token gt_lexer_peek(gt_lexer lexer);
/* If the current token is `text`, skips it and returns true. Otherwise returns false. */
bool gt_lexer_accept(gt_lexer *lexer, const char *text);
/* If the current token is one of the words, skips it and returns the index of the word. Otherwise
 * returns -1. `words` is separated by blanks. */
int gt_lexer_accept_any(gt_lexer *lexer, const char *words);
gt_place gt_lexer_place(const gt_lexer *lexer);
bool gt_token_is(const gt_token *token, const char *text);
/* Returns true if the token is a string literal without a prefix. */
bool gt_token_is_string(const gt_token *token);
/* Returns true if the token is one of the words, which are separated by blanks. */
bool gt_token_is_any(const gt_token *token, const char *words);
bool gt_token_equals(const gt_token *a, const gt_token *b);
gt_token gt_token_of(const char *name);
/* Returns how many template argument lists the token opens, minus those it closes: 1 for "<", -2
 * for ">>". */
int gt_token_angles(const gt_token *token);
/* Skips the current token. If it is one of the brackets in `open`, skips everything to the matching
 * bracket in `close`, and returns the position of this bracket. Returns NULL if there is no
 * matching bracket. */
const char *gt_lexer_skip(gt_lexer *lexer, const char *open, const char *close);
/* Moves to the next token that is one of the words and not inside of brackets, or to the end. */
void gt_lexer_skip_to(gt_lexer *lexer, const char *words);
/* Skips a list of template arguments, starting at its '<', and returns the position of the '>'.
 * Returns NULL if a token closes more lists than are open, or if the list does not end. */
const char *gt_lexer_skip_angles(gt_lexer *lexer);

/* Sets the error message, after a prefix "path:line:column: ", and returns ETEMPLATE. */
#define gt_fail_at(place, ...) (gt_message_at(place, __VA_ARGS__), gt_failure(GPUTUNE_ETEMPLATE))
/* If `condition` is true, returns gt_fail_at(place, …) from the enclosing function. */
#define GT_REFUSE_AT(condition, place, ...)                                                        \
    GT_TRY((condition) ? gt_fail_at(place, __VA_ARGS__) : GPUTUNE_OK)
void gt_message_at(gt_place place, const char *format, ...) GT_PRINTF(2, 3);
/* Fails with ETEMPLATE and "more than MOST WHAT; expected fewer" if `count` has reached `most`. */
gputune_status gt_check_room(size_t count, size_t most, const char *what, gt_place place);
/* Fails with ETEMPLATE and the message "found 'x'; expected WHAT". Adds the lexer's example of the
 * clause, unless WHAT already contains an example. */
gputune_status gt_fail_expected(const gt_lexer *lexer, const char *what);
/* If `condition` is false, returns gt_fail_expected(…) from the enclosing function. */
#define GT_EXPECT(condition, lexer, what)                                                          \
    GT_TRY((condition) ? GPUTUNE_OK : gt_fail_expected(lexer, what))
/* Skips `text`. If the current token is not `text`, fails like gt_fail_expected(). */
gputune_status gt_lexer_expect(gt_lexer *lexer, const char *text);
