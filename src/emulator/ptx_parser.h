/* The parts of the PTX parser: ptx_parser.c, ptx_parse.c, ptx_body.c and ptx_variables.c. */
#pragma once

#include "emulator/ptx.h"
#include "emulator/ptx_lexer.h"

#include <string.h>

/* A parser. After a failure, `token` stays PTX_END, so loops end without further checks. */
typedef struct ptx_parser {
    ptx_lexer lexer;
    ptx_token token; /* current token */
    ptx_module *module;
    ptx_function *function; /* function whose declaration or body is being parsed */
    ptx_scope *scope;
    unsigned depth; /* nesting of operands */
    bool failed;
} ptx_parser;

/* Appends an element to owner->items. Evaluates to a pointer to the element, or to NULL if memory
 * runs out. The names of the array's count and capacity begin with `prefix`. */
#define PTX_APPEND(parser, owner, items, prefix)                                                   \
    (((owner)->items =                                                                             \
          emu_pool_grow(&(parser)->module->pool, (owner)->items, (owner)->prefix##_count,          \
                        &(owner)->prefix##_capacity, sizeof *(owner)->items))                      \
         ? &(owner)->items[(owner)->prefix##_count++]                                              \
         : ptx_out_of_memory(parser))

/* Records a failure with its line, unless parsing has already failed, and ends parsing. */
__attribute__((format(printf, 2, 3))) void ptx_fail(ptx_parser *parser, const char *format, ...);
void *ptx_out_of_memory(ptx_parser *parser);

void ptx_advance(ptx_parser *parser);
/* Compare the current token with `text`. ptx_at() returns true if they are equal. ptx_accept() then
 * also skips the token. ptx_expect() skips the token, and fails if it differs from `text`. */
bool ptx_at(const ptx_parser *parser, const char *text);
bool ptx_accept(ptx_parser *parser, const char *text);
void ptx_expect(ptx_parser *parser, const char *text);
/* Reads a word and returns a copy. After a failure, returns "". */
const char *ptx_expect_word(ptx_parser *parser);
uint64_t ptx_expect_integer(ptx_parser *parser);
/* Skips all tokens up to `text`, and `text` itself. */
void ptx_skip_past(ptx_parser *parser, const char *text);

/* Reads a type with its dot, such as .b32. */
ptx_type ptx_expect_type(ptx_parser *parser);

/* Parses the part of a declaration after its address space, [.align n] [.vN] type name[dims] [=
 * values], and adds the variable to the current scope. Returns NULL after a failure. */
ptx_variable *ptx_parse_variable(ptx_parser *parser, ptx_space space, bool is_external);
void ptx_parse_variables(ptx_parser *parser, ptx_space space, bool is_external);

void ptx_parse_body(ptx_parser *parser);

/* Find a name in the current scope or its enclosing scopes, or return NULL. */
const ptx_registers *ptx_find_register(const ptx_parser *parser, const char *name, size_t length,
                                       uint32_t *index);
ptx_variable *ptx_find_variable(const ptx_parser *parser, const char *name, size_t length);
