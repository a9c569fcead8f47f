/* Parses declarations of registers and variables, and finds them by name. */
#include "emulator/ptx_parser.h"

/* The maximum local memory of a thread on hardware. The limit for parameters is far lower. */
enum { LARGEST_AREA = 512 * 1024 };

/* ---- look-up ---- */

static const ptx_registers *match_register(const ptx_registers *set, const char *name,
                                           size_t length, uint32_t *index)
{
    if (length < set->length || memcmp(set->name, name, set->length) != 0)
        return NULL;
    if (!set->is_range) {
        *index = set->first;
        return length == set->length ? set : NULL;
    }
    uint32_t number = 0;
    if (length == set->length || length - set->length > 8)
        return NULL;
    for (size_t i = set->length; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return NULL;
        number = number * 10 + (uint32_t)(name[i] - '0');
    }
    *index = set->first + number;
    return number < set->count ? set : NULL;
}

const ptx_registers *ptx_find_register(const ptx_parser *parser, const char *name, size_t length,
                                       uint32_t *index)
{
    for (const ptx_scope *scope = parser->scope; scope; scope = scope->parent)
        for (const ptx_registers *set = scope->registers; set; set = set->next)
            if (match_register(set, name, length, index))
                return set;
    return NULL;
}

ptx_variable *ptx_find_variable(const ptx_parser *parser, const char *name, size_t length)
{
    for (const ptx_scope *scope = parser->scope; scope; scope = scope->parent)
        for (ptx_variable *variable = scope->variables; variable; variable = variable->next)
            if (strlen(variable->name) == length && memcmp(variable->name, name, length) == 0)
                return variable;
    return NULL;
}

/* ---- initialisers ---- */

static const uint64_t largest_initialised = UINT64_C(1)
                                            << 30; /* maximum size of an initial value in memory */

static void store_initial(ptx_parser *parser, ptx_variable *variable, uint64_t offset,
                          unsigned bytes, uint64_t value)
{
    if (offset + bytes > variable->bytes) {
        ptx_fail(parser, "too many initial values for %s", variable->name);
        return;
    }
    if (variable->bytes > largest_initialised) {
        ptx_fail(parser, "%s is too large to be initialised", variable->name);
        return;
    }
    if (!variable->initial)
        variable->initial = emu_pool_alloc(&parser->module->pool, variable->bytes);
    if (!variable->initial)
        ptx_out_of_memory(parser);
    else
        memcpy(variable->initial + offset, &value, bytes);
}

static void add_relocation(ptx_parser *parser, ptx_variable *variable, uint64_t offset,
                           unsigned bytes)
{
    ptx_relocation *slot = PTX_APPEND(parser, variable, relocations, relocation);
    if (!slot)
        return;
    *slot = (ptx_relocation){.offset = offset, .name = ptx_expect_word(parser)};
    if (bytes != 8 || offset + 8 > variable->bytes)
        ptx_fail(parser, "an address in the initialiser of %s needs 8 bytes", variable->name);
    ptx_accept(parser, ")");
    bool minus = ptx_at(parser, "-");
    if (ptx_accept(parser, "+") || ptx_accept(parser, "-")) {
        int64_t addend = (int64_t)ptx_expect_integer(parser);
        slot->addend = minus ? (int64_t)(0 - (uint64_t)addend) : addend;
    }
}

static uint64_t initial_number(ptx_parser *parser, ptx_type type)
{
    bool minus = ptx_accept(parser, "-");
    ptx_token token = parser->token;
    if (token.kind != PTX_INTEGER && token.kind != PTX_FLOAT32 && token.kind != PTX_FLOAT64)
        ptx_fail(parser, "expected a value before '%.*s'", (int)token.length, token.text);
    ptx_advance(parser);
    double number;
    memcpy(&number, &token.value, sizeof number);
    if (token.kind == PTX_FLOAT64 && type == PTX_F32) {
        float narrow = (float)(minus ? -number : number);
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (token.kind == PTX_FLOAT64 && minus)
        return token.value ^ UINT64_C(1) << 63;
    return minus ? 0 - token.value : token.value;
}

/* Parses values in nested braces, and stores them consecutively. */
static void parse_initial(ptx_parser *parser, ptx_variable *variable, ptx_type type)
{
    unsigned bytes = ptx_type_bytes(type);
    uint64_t offset = 0;
    int depth = 0;
    do {
        while (ptx_accept(parser, "{"))
            depth++;
        if (!ptx_at(parser, "}")) {
            if (ptx_accept(parser, "generic"))
                ptx_expect(parser, "(");
            if (parser->token.kind == PTX_WORD)
                add_relocation(parser, variable, offset, bytes);
            else
                store_initial(parser, variable, offset, bytes, initial_number(parser, type));
            offset += bytes;
        }
        while (depth && ptx_accept(parser, "}"))
            depth--;
    } while (depth && !parser->failed && ptx_accept(parser, ","));
    if (depth)
        ptx_expect(parser, "}");
}

/* ---- declarations ---- */

/* Returns a product that is capped far above the size of any variable, so it cannot wrap around. */
static uint64_t capped_product(uint64_t a, uint64_t b)
{
    const uint64_t cap = UINT64_C(1) << 42;
    return b && a > cap / b ? cap : a * b;
}

static uint64_t parse_dimensions(ptx_parser *parser, bool *is_open)
{
    uint64_t count = 1;
    while (ptx_accept(parser, "[")) {
        if (ptx_at(parser, "]"))
            *is_open = true;
        else
            count = capped_product(count, ptx_expect_integer(parser));
        ptx_expect(parser, "]");
    }
    return count;
}

static uint32_t parse_alignment(ptx_parser *parser, uint32_t align)
{
    if (!ptx_accept(parser, ".align"))
        return align;
    uint64_t value = ptx_expect_integer(parser);
    if (value == 0 || value > 65536 || (value & (value - 1)))
        ptx_fail(parser, "alignment must be a power of two");
    return (uint32_t)value;
}

/* Skips the attributes of a pointer parameter, such as .ptr .global .align 16. */
static void skip_pointer_attributes(ptx_parser *parser)
{
    if (!ptx_accept(parser, ".ptr"))
        return;
    while (ptx_accept(parser, ".global") || ptx_accept(parser, ".const") ||
           ptx_accept(parser, ".shared") || ptx_accept(parser, ".local"))
        continue;
    parse_alignment(parser, 1);
}

static void place_variable(ptx_parser *parser, ptx_variable *variable, uint32_t *area)
{
    uint64_t align = variable->align;
    variable->offset = (*area + align - 1) / align * align;
    if (variable->bytes > LARGEST_AREA || variable->offset + variable->bytes > LARGEST_AREA)
        ptx_fail(parser, "%s is too large", variable->name);
    else
        *area = (uint32_t)(variable->offset + variable->bytes);
}

static void assign_storage(ptx_parser *parser, ptx_variable *variable)
{
    ptx_module *module = parser->module;
    ptx_variable **slot = NULL;
    switch (variable->space) {
    case PTX_GLOBAL:
    case PTX_CONST:
        variable->index = (uint32_t)module->global_count;
        slot = PTX_APPEND(parser, module, globals, global);
        break;
    case PTX_SHARED:
        variable->index = (uint32_t)module->shared_count;
        slot = PTX_APPEND(parser, module, shared, shared);
        break;
    case PTX_LOCAL:
        if (!parser->function)
            ptx_fail(parser, ".local %s at module scope is not supported", variable->name);
        else
            place_variable(parser, variable, &parser->function->local_bytes);
        return;
    default:
        place_variable(parser, variable, &parser->function->param_bytes);
        return;
    }
    if (slot)
        *slot = variable;
}

static void put_in_scope(ptx_parser *parser, ptx_variable *variable)
{
    ptx_scope *scope = parser->scope;
    if (variable->space == PTX_GLOBAL || variable->space == PTX_CONST)
        scope = &parser->module->scope;
    variable->next = scope->variables;
    scope->variables = variable;
}

static ptx_variable *parse_declarator(ptx_parser *parser, ptx_space space, ptx_type type,
                                      uint32_t align, unsigned lanes, bool is_external)
{
    ptx_variable *variable = emu_pool_alloc(&parser->module->pool, sizeof *variable);
    if (!variable)
        return ptx_out_of_memory(parser);
    bool is_open = false;
    variable->space = space;
    variable->name = ptx_expect_word(parser);
    uint64_t count = parse_dimensions(parser, &is_open) * lanes;
    variable->bytes = is_open ? 0 : count * ptx_type_bytes(type);
    variable->align = align;
    variable->is_external = is_external || is_open;
    if (variable->bytes > UINT64_C(1) << 40 || ptx_type_bytes(type) == 0)
        ptx_fail(parser, "%s has an impossible size", variable->name);
    if (ptx_accept(parser, "=")) {
        parse_initial(parser, variable, type);
        variable->is_external = false;
    }
    if (parser->failed)
        return NULL;
    assign_storage(parser, variable);
    put_in_scope(parser, variable);
    return variable;
}

/* Parses .v2 or .v4 if there is one, and returns the number of elements. */
static unsigned parse_vector(ptx_parser *parser)
{
    if (ptx_accept(parser, ".v2"))
        return 2;
    return ptx_accept(parser, ".v4") ? 4 : 1;
}

static ptx_type parse_prefix(ptx_parser *parser, uint32_t *align, unsigned *lanes)
{
    if (ptx_accept(parser, ".attribute"))
        ptx_skip_past(parser, ")");
    *align = parse_alignment(parser, 0);
    *lanes = parse_vector(parser);
    ptx_type type = ptx_expect_type(parser);
    skip_pointer_attributes(parser);
    *align = parse_alignment(parser, *align);
    if (*align == 0)
        *align = ptx_type_bytes(type) ? ptx_type_bytes(type) * *lanes : 1;
    return type;
}

ptx_variable *ptx_parse_variable(ptx_parser *parser, ptx_space space, bool is_external)
{
    uint32_t align;
    unsigned lanes;
    ptx_type type = parse_prefix(parser, &align, &lanes);
    return parser->failed ? NULL : parse_declarator(parser, space, type, align, lanes, is_external);
}

void ptx_parse_variables(ptx_parser *parser, ptx_space space, bool is_external)
{
    uint32_t align;
    unsigned lanes;
    ptx_type type = parse_prefix(parser, &align, &lanes);
    do {
        if (parser->failed)
            return;
        parse_declarator(parser, space, type, align, lanes, is_external);
    } while (ptx_accept(parser, ","));
    ptx_expect(parser, ";");
}
