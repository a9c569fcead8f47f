/* Shared by the files of the PTX parser. */
#pragma once

#include "emulator/ptx.h"
#include "emulator/ptx_lexer.h"

#include <string.h>

/* A parser. After a failure `token` stays at the end of the text, so every loop ends and one check
 * at the end is enough. */
typedef struct ptx_parser {
    ptx_lexer lexer;
    ptx_token token; /* current token */
    ptx_module *module;
    ptx_function *function; /* function that is being read */
    ptx_scope *scope;
    unsigned depth; /* nesting of operands */
    bool failed;
} ptx_parser;

/* Adds an element to an array with _count and _capacity members of the same prefix; evaluates to
 * the new element, or NULL. */
#define PTX_APPEND(parser, owner, items, prefix)                                                   \
    (((owner)->items =                                                                             \
          emu_pool_grow(&(parser)->module->pool, (owner)->items, (owner)->prefix##_count,          \
                        &(owner)->prefix##_capacity, sizeof *(owner)->items))                      \
         ? &(owner)->items[(owner)->prefix##_count++]                                              \
         : ptx_out_of_memory(parser))

/* Records the first failure with its line, and ends parsing. */
__attribute__((format(printf, 2, 3))) void ptx_fail(ptx_parser *parser, const char *format, ...);
void *ptx_out_of_memory(ptx_parser *parser);

void ptx_advance(ptx_parser *parser);
/* ptx_at() returns true if the current token is this text; ptx_accept() also skips it; ptx_expect()
 * fails if it is not. */
bool ptx_at(const ptx_parser *parser, const char *text);
bool ptx_accept(ptx_parser *parser, const char *text);
void ptx_expect(ptx_parser *parser, const char *text);
/* Reads a word, copied to the pool; "" after a failure. */
const char *ptx_expect_word(ptx_parser *parser);
/* Reads a non-negative integer. */
uint64_t ptx_expect_integer(ptx_parser *parser);
/* Skips everything up to and including the text. */
void ptx_skip_past(ptx_parser *parser, const char *text);

/* Reads a type directive such as .b32. */
ptx_type ptx_expect_type(ptx_parser *parser);

/* Parses a declaration after its space directive: [.align n] [.vN] type name[dims] [= values], and
 * adds the variable to the current scope. NULL after a failure. */
ptx_variable *ptx_parse_variable(ptx_parser *parser, ptx_space space, bool is_external);
/* Parses a list of declarations after a directive such as .shared. */
void ptx_parse_variables(ptx_parser *parser, ptx_space space, bool is_external);

/* Parses { statements } of the current function. */
void ptx_parse_body(ptx_parser *parser);

/* Look up a name from the current scope outwards. */
const ptx_registers *ptx_find_register(const ptx_parser *parser, const char *name, size_t length,
                                       uint32_t *index);
ptx_variable *ptx_find_variable(const ptx_parser *parser, const char *name, size_t length);
