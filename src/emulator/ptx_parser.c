/* Functions that all parsers use: they record failures and read tokens. */
#include "emulator/ptx_parser.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>

void ptx_fail(ptx_parser *parser, const char *format, ...)
{
    if (!parser->failed) {
        char *out = parser->module->error;
        size_t room = sizeof parser->module->error;
        int used = snprintf(out, room, "PTX line %d: ", parser->token.line);
        va_list arguments;
        va_start(arguments, format);
        gt_vsnprintf(out + used, room - (size_t)used, format, arguments);
        va_end(arguments);
    }
    parser->failed = true;
    parser->token.kind = PTX_END;
    parser->token.length = 0;
}

void *ptx_out_of_memory(ptx_parser *parser)
{
    ptx_fail(parser, "out of memory");
    return NULL;
}

void ptx_advance(ptx_parser *parser)
{
    if (parser->failed)
        return;
    parser->token = ptx_lexer_next(&parser->lexer);
    if (parser->token.kind == PTX_BAD)
        ptx_fail(parser, "unexpected character '%c'", parser->token.text[0]);
}

bool ptx_at(const ptx_parser *parser, const char *text)
{
    return parser->token.kind != PTX_END && ptx_token_is(&parser->token, text);
}

bool ptx_accept(ptx_parser *parser, const char *text)
{
    if (!ptx_at(parser, text))
        return false;
    ptx_advance(parser);
    return true;
}

void ptx_expect(ptx_parser *parser, const char *text)
{
    if (!ptx_accept(parser, text))
        ptx_fail(parser, "expected '%s' before '%.*s'", text, (int)parser->token.length,
                 parser->token.text);
}

const char *ptx_expect_word(ptx_parser *parser)
{
    if (parser->token.kind != PTX_WORD) {
        ptx_fail(parser, "expected a name before '%.*s'", (int)parser->token.length,
                 parser->token.text);
        return "";
    }
    const char *word =
        emu_pool_string(&parser->module->pool, parser->token.text, parser->token.length);
    if (!word)
        ptx_out_of_memory(parser);
    ptx_advance(parser);
    return word ? word : "";
}

uint64_t ptx_expect_integer(ptx_parser *parser)
{
    uint64_t value = parser->token.value;
    if (parser->token.kind != PTX_INTEGER)
        ptx_fail(parser, "expected a number before '%.*s'", (int)parser->token.length,
                 parser->token.text);
    ptx_advance(parser);
    return value;
}

void ptx_skip_past(ptx_parser *parser, const char *text)
{
    while (parser->token.kind != PTX_END && !ptx_at(parser, text))
        ptx_advance(parser);
    ptx_expect(parser, text);
}

ptx_type ptx_expect_type(ptx_parser *parser)
{
    ptx_type type = PTX_NO_TYPE;
    if (parser->token.kind == PTX_DIRECTIVE)
        type = ptx_type_find(parser->token.text + 1, parser->token.length - 1);
    if (type == PTX_NO_TYPE)
        ptx_fail(parser, "expected a type before '%.*s' (the emulator knows no such type)",
                 (int)parser->token.length, parser->token.text);
    ptx_advance(parser);
    return type;
}
