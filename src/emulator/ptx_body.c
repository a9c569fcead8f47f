/* Parses the bodies of functions: labels, instructions and their operands. */
#include "emulator/ptx_parser.h"

enum { DEEPEST = 8, MOST_REGISTERS = 1000000 };

/* ---- operands ---- */

static ptx_operand *copy_operand(ptx_parser *parser, ptx_operand operand)
{
    ptx_operand *copy = emu_pool_alloc(&parser->module->pool, sizeof *copy);
    if (!copy)
        return ptx_out_of_memory(parser);
    *copy = operand;
    return copy;
}

static ptx_operand parse_operand(ptx_parser *parser);

/* Parses operands separated by commas, up to `close`. */
static ptx_operand parse_items(ptx_parser *parser, ptx_operand_kind kind, const char *close)
{
    ptx_operand result = {.kind = kind};
    size_t capacity = 0;
    while (!parser->failed && !ptx_at(parser, close)) {
        ptx_operand *items = emu_pool_grow(&parser->module->pool, result.items, result.count,
                                           &capacity, sizeof *items);
        if (!items) {
            ptx_out_of_memory(parser);
            break;
        }
        result.items = items;
        result.items[result.count++] = parse_operand(parser);
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, close);
    return result;
}

/* Parses the offsets after a name, such as +4, -4 or +-4. */
static uint64_t parse_offset(ptx_parser *parser)
{
    uint64_t total = 0;
    while (ptx_at(parser, "+") || ptx_at(parser, "-")) {
        bool minus = false;
        while (ptx_at(parser, "+") || ptx_at(parser, "-")) {
            minus ^= ptx_at(parser, "-");
            ptx_advance(parser);
        }
        uint64_t value = ptx_expect_integer(parser);
        total += minus ? 0 - value : value;
    }
    return total;
}

static ptx_operand parse_address(ptx_parser *parser)
{
    ptx_operand base = parse_operand(parser);
    ptx_operand result = {.kind = PTX_OPERAND_ADDRESS, .count = 1};
    result.value = parse_offset(parser);
    if (ptx_accept(parser, ","))
        result.second = copy_operand(parser, parse_operand(parser));
    ptx_expect(parser, "]");
    if (base.kind == PTX_OPERAND_VARIABLE || base.kind == PTX_OPERAND_INTEGER) {
        result.value += base.value;
        base.value = 0;
    }
    result.items = copy_operand(parser, base);
    return result;
}

static ptx_operand parse_number(ptx_parser *parser, bool minus)
{
    ptx_operand result = {.kind = PTX_OPERAND_INTEGER, .value = parser->token.value};
    if (parser->token.kind == PTX_FLOAT32)
        result.kind = PTX_OPERAND_FLOAT32;
    else if (parser->token.kind == PTX_FLOAT64)
        result.kind = PTX_OPERAND_FLOAT64;
    else if (parser->token.kind != PTX_INTEGER)
        ptx_fail(parser, "expected an operand before '%.*s'", (int)parser->token.length,
                 parser->token.text);
    if (minus && result.kind == PTX_OPERAND_FLOAT64)
        result.value ^= UINT64_C(1) << 63;
    else if (minus && result.kind == PTX_OPERAND_FLOAT32)
        result.value ^= UINT64_C(1) << 31;
    else if (minus)
        result.value = 0 - result.value;
    ptx_advance(parser);
    return result;
}

static ptx_operand parse_name(ptx_parser *parser)
{
    ptx_operand result = {.kind = PTX_OPERAND_REGISTER};
    ptx_token token = parser->token;
    const ptx_registers *set = ptx_find_register(parser, token.text, token.length, &result.reg);
    if (set) {
        result.type = set->type;
        ptx_advance(parser);
        return result;
    }
    result.variable = ptx_find_variable(parser, token.text, token.length);
    if (result.variable) {
        result.kind = PTX_OPERAND_VARIABLE;
        result.variable->is_used = true;
        ptx_advance(parser);
        result.value = parse_offset(parser);
        return result;
    }
    if (ptx_accept(parser, "_"))
        return (ptx_operand){.kind = PTX_OPERAND_SINK};
    if (ptx_accept(parser, "WARP_SZ"))
        return (ptx_operand){.kind = PTX_OPERAND_INTEGER, .value = 32};
    result.kind = PTX_OPERAND_NAME;
    result.name = ptx_expect_word(parser);
    return result;
}

static ptx_operand parse_plain_operand(ptx_parser *parser)
{
    if (ptx_accept(parser, "["))
        return parse_address(parser);
    if (ptx_accept(parser, "{"))
        return parse_items(parser, PTX_OPERAND_VECTOR, "}");
    if (ptx_accept(parser, "("))
        return parse_items(parser, PTX_OPERAND_LIST, ")");
    bool negated = ptx_accept(parser, "!");
    if (parser->token.kind != PTX_WORD)
        return parse_number(parser, ptx_accept(parser, "-"));
    ptx_operand result = parse_name(parser);
    result.is_negated = negated;
    if (ptx_accept(parser, "|"))
        result.second = copy_operand(parser, parse_operand(parser));
    return result;
}

static ptx_operand parse_operand(ptx_parser *parser)
{
    if (parser->depth >= DEEPEST)
        ptx_fail(parser, "operands are nested too deeply");
    parser->depth++;
    ptx_operand result = parse_plain_operand(parser);
    parser->depth--;
    return result;
}

/* ---- statements ---- */

static void parse_guard(ptx_parser *parser, ptx_instruction *instruction)
{
    if (!ptx_accept(parser, "@"))
        return;
    bool negated = ptx_accept(parser, "!");
    instruction->has_guard = true;
    instruction->guard = parse_operand(parser);
    instruction->guard.is_negated = negated;
    if (instruction->guard.kind != PTX_OPERAND_REGISTER || instruction->guard.type != PTX_PRED)
        ptx_fail(parser, "a guard must be a predicate register");
}

static void parse_instruction(ptx_parser *parser, const char *opcode)
{
    ptx_function *function = parser->function;
    ptx_instruction instruction = {.line = parser->token.line, .scope = parser->scope};
    if (!opcode)
        parse_guard(parser, &instruction);
    instruction.opcode = opcode ? opcode : ptx_expect_word(parser);
    while (!parser->failed && !ptx_at(parser, ";")) {
        ptx_operand *slot = PTX_APPEND(parser, &instruction, operands, operand);
        ptx_operand operand = parse_operand(parser);
        if (!slot)
            return;
        *slot = operand;
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, ";");
    ptx_instruction *place = PTX_APPEND(parser, function, instructions, instruction);
    if (place)
        *place = instruction;
}

static void parse_branch_targets(ptx_parser *parser, ptx_label *label)
{
    do {
        const char **slot = PTX_APPEND(parser, label, targets, target);
        if (!slot)
            return;
        *slot = ptx_expect_word(parser);
    } while (ptx_accept(parser, ","));
    ptx_expect(parser, ";");
}

static void parse_label(ptx_parser *parser, const char *name)
{
    ptx_function *function = parser->function;
    ptx_label *label = PTX_APPEND(parser, function, labels, label);
    if (!label)
        return;
    *label = (ptx_label){
        .name = name, .scope = parser->scope, .instruction = function->instruction_count};
    if (ptx_accept(parser, ".branchtargets"))
        parse_branch_targets(parser, label);
    else if (ptx_accept(parser, ".callprototype") || ptx_accept(parser, ".calltargets"))
        ptx_skip_past(parser, ";");
}

static void declare_register(ptx_parser *parser, ptx_type type)
{
    ptx_function *function = parser->function;
    ptx_registers *set = emu_pool_alloc(&parser->module->pool, sizeof *set);
    if (!set) {
        ptx_out_of_memory(parser);
        return;
    }
    set->name = ptx_expect_word(parser);
    set->length = strlen(set->name);
    set->type = type;
    set->first = (uint32_t)function->register_count;
    set->count = 1;
    if (ptx_accept(parser, "<")) {
        uint64_t count = ptx_expect_integer(parser);
        set->is_range = true;
        set->count = count < MOST_REGISTERS ? (uint32_t)count : 0;
        ptx_expect(parser, ">");
    }
    for (uint32_t i = 0; i < set->count && !parser->failed; i++) {
        ptx_type *slot = PTX_APPEND(parser, function, registers, register);
        if (slot)
            *slot = type;
    }
    set->next = parser->scope->registers;
    parser->scope->registers = set;
}

static void parse_registers(ptx_parser *parser)
{
    if (ptx_at(parser, ".v2") || ptx_at(parser, ".v4"))
        ptx_fail(parser, "vector registers are not supported");
    ptx_type type = ptx_expect_type(parser);
    do
        declare_register(parser, type);
    while (ptx_accept(parser, ","));
    ptx_expect(parser, ";");
}

/* Parses .loc file line column [, function_name label, inlined_at file line column]. If the code
 * was inlined from another file, it gets the line of the call. */
static void parse_location(ptx_parser *parser)
{
    int line = parser->token.line;
    ptx_location location = {.ptx_line = (uint32_t)line};
    ptx_advance(parser);
    location.file = (uint32_t)ptx_expect_integer(parser);
    location.line = (uint32_t)ptx_expect_integer(parser);
    while (parser->token.kind != PTX_END && parser->token.line == line && !parser->failed) {
        if (!ptx_accept(parser, "inlined_at")) {
            ptx_advance(parser);
            continue;
        }
        uint32_t file = (uint32_t)ptx_expect_integer(parser);
        uint32_t at = (uint32_t)ptx_expect_integer(parser);
        if (file != location.file) {
            location.file = file;
            location.line = at;
        }
    }
    if (location.line == 0)
        return; /* line 0 means code that several branches share; keep the previous line */
    ptx_location *place = PTX_APPEND(parser, parser->module, locations, location);
    if (place)
        *place = location;
}

static void parse_directive(ptx_parser *parser)
{
    if (ptx_accept(parser, ".reg"))
        parse_registers(parser);
    else if (ptx_accept(parser, ".local"))
        ptx_parse_variables(parser, PTX_LOCAL, false);
    else if (ptx_accept(parser, ".shared"))
        ptx_parse_variables(parser, PTX_SHARED, false);
    else if (ptx_accept(parser, ".param"))
        ptx_parse_variables(parser, PTX_PARAM, false);
    else if (ptx_accept(parser, ".global"))
        ptx_parse_variables(parser, PTX_GLOBAL, false);
    else if (ptx_accept(parser, ".const"))
        ptx_parse_variables(parser, PTX_CONST, false);
    else if (ptx_accept(parser, ".pragma"))
        ptx_skip_past(parser, ";");
    else if (ptx_at(parser, ".loc"))
        parse_location(parser);
    else
        ptx_fail(parser, "unknown directive '%.*s' in %s", (int)parser->token.length,
                 parser->token.text, parser->function->name);
}

static void open_scope(ptx_parser *parser)
{
    ptx_scope *scope = emu_pool_alloc(&parser->module->pool, sizeof *scope);
    if (!scope) {
        ptx_out_of_memory(parser);
        return;
    }
    scope->parent = parser->scope;
    parser->scope = scope;
}

static void parse_statement(ptx_parser *parser)
{
    if (ptx_accept(parser, ";"))
        return;
    if (parser->token.kind == PTX_DIRECTIVE) {
        parse_directive(parser);
        return;
    }
    if (parser->token.kind != PTX_WORD) {
        parse_instruction(parser, NULL);
        return;
    }
    const char *word = ptx_expect_word(parser);
    if (ptx_accept(parser, ":"))
        parse_label(parser, word);
    else
        parse_instruction(parser, word);
}

void ptx_parse_body(ptx_parser *parser)
{
    ptx_scope *outermost = parser->scope;
    ptx_expect(parser, "{");
    while (!parser->failed) {
        if (ptx_accept(parser, "{"))
            open_scope(parser);
        else if (ptx_at(parser, "}") && parser->scope == outermost)
            break;
        else if (ptx_accept(parser, "}"))
            parser->scope = parser->scope->parent;
        else if (parser->token.kind == PTX_END)
            ptx_fail(parser, "%s has no end", parser->function->name);
        else
            parse_statement(parser);
    }
    ptx_expect(parser, "}");
}

const ptx_label *ptx_function_label(const ptx_function *function, const ptx_scope *scope,
                                    const char *name)
{
    for (; scope; scope = scope->parent)
        for (size_t i = 0; i < function->label_count; i++)
            if (function->labels[i].scope == scope && strcmp(function->labels[i].name, name) == 0)
                return &function->labels[i];
    return NULL;
}
