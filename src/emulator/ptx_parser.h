/* What the files of the PTX parser share. */
#pragma once

#include "emulator/ptx.h"
#include "emulator/ptx_lexer.h"

#include <string.h>

/* After a failure `token` stays at the end of the text, so that every loop ends by itself and one
 * check at the end is enough. */
typedef struct ptx_parser {
    ptx_lexer lexer;
    ptx_token token; /* the one to look at */
    ptx_module *module;
    ptx_function *function; /* whose body or header is being read */
    ptx_scope *scope;
    unsigned depth; /* of operands within operands */
    bool failed;
} ptx_parser;

/* Makes room for one more element in an array with _count and _capacity fields of the same prefix;
 * evaluates to the new element, or NULL. */
#define PTX_APPEND(parser, owner, items, prefix)                                                   \
    (((owner)->items =                                                                             \
          emu_pool_grow(&(parser)->module->pool, (owner)->items, (owner)->prefix##_count,          \
                        &(owner)->prefix##_capacity, sizeof *(owner)->items))                      \
         ? &(owner)->items[(owner)->prefix##_count++]                                              \
         : ptx_out_of_memory(parser))

/* Records the first failure, with the current line, and ends the parsing. */
__attribute__((format(printf, 2, 3))) void ptx_fail(ptx_parser *parser, const char *format, ...);
void *ptx_out_of_memory(ptx_parser *parser);

void ptx_advance(ptx_parser *parser);
/* Whether the current token is this text; accept also moves past it; expect fails otherwise. */
bool ptx_at(const ptx_parser *parser, const char *text);
bool ptx_accept(ptx_parser *parser, const char *text);
void ptx_expect(ptx_parser *parser, const char *text);
/* A word, copied to the pool; "" after a failure. */
const char *ptx_expect_word(ptx_parser *parser);
/* A non-negative integer. */
uint64_t ptx_expect_integer(ptx_parser *parser);
/* Moves past everything up to and with the text. */
void ptx_skip_past(ptx_parser *parser, const char *text);

/* A type directive such as .b32. */
ptx_type ptx_expect_type(ptx_parser *parser);

/* Declarations after their space directive: [.align n] [.vN] type name[dims] [= values]. The
 * variable is put into the current scope. NULL after a failure. */
ptx_variable *ptx_parse_variable(ptx_parser *parser, ptx_space space, bool is_external);
/* name, name; after .shared and the like. */
void ptx_parse_variables(ptx_parser *parser, ptx_space space, bool is_external);

/* { statements } of the current function. */
void ptx_parse_body(ptx_parser *parser);

/* Look-up from the current scope outwards. */
const ptx_registers *ptx_find_register(const ptx_parser *parser, const char *name, size_t length,
                                       uint32_t *index);
ptx_variable *ptx_find_variable(const ptx_parser *parser, const char *name, size_t length);
