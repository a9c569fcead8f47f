/* Parses a module: directives, functions and their parameters. */
#include "emulator/ptx_parser.h"

/* ---- functions ---- */

/* Returns the source file in which the function that contains the PTX line begins. */
static uint32_t home_of(const ptx_module *module, uint32_t ptx_line)
{
    uint32_t begin = 0;
    for (size_t i = 0; i < module->function_count; i++) {
        uint32_t line = (uint32_t)module->functions[i]->line;
        begin = line <= ptx_line && line > begin ? line : begin;
    }
    for (size_t i = 0; i < module->location_count; i++)
        if (module->locations[i].ptx_line > begin)
            return module->locations[i].file;
    return 0;
}

ptx_place ptx_module_place(const ptx_module *module, uint32_t ptx_line)
{
    ptx_place place = {0};
    size_t low = 0, high = module->location_count;
    while (low < high) { /* find the first location after the line */
        size_t middle = (low + high) / 2;
        if (module->locations[middle].ptx_line <= ptx_line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return place;
    uint32_t home = home_of(module, ptx_line);
    const ptx_location *location = &module->locations[low - 1];
    while (location > module->locations && location->file != home)
        location--;
    place.line = location->line;
    for (size_t i = 0; i < module->file_count; i++)
        if (module->files[i].index == location->file)
            place.file = module->files[i].name;
    return place;
}

static void parse_params(ptx_parser *parser, bool is_return)
{
    ptx_function *function = parser->function;
    ptx_expect(parser, "(");
    while (!parser->failed && !ptx_at(parser, ")")) {
        if (!ptx_accept(parser, ".param"))
            ptx_expect(parser, ".reg");
        ptx_variable *variable = ptx_parse_variable(parser, PTX_PARAM, false);
        ptx_variable **slot = is_return ? PTX_APPEND(parser, function, returns, return )
                                        : PTX_APPEND(parser, function, params, param);
        if (!variable || !slot)
            return;
        *slot = variable;
        variable->is_kernel_param = function->is_entry;
        if (!ptx_accept(parser, ","))
            break;
    }
    ptx_expect(parser, ")");
}

static void parse_triple(ptx_parser *parser, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        out[i] = (uint32_t)ptx_expect_integer(parser);
        if (!ptx_accept(parser, ","))
            return;
    }
}

/* Parses an attribute of a function, such as .maxntid. */
static void parse_attribute(ptx_parser *parser)
{
    ptx_function *function = parser->function;
    if (ptx_accept(parser, ".maxntid"))
        parse_triple(parser, function->max_threads);
    else if (ptx_accept(parser, ".reqntid"))
        parse_triple(parser, function->required_threads);
    else if (ptx_accept(parser, ".reqnctapercluster"))
        parse_triple(parser, function->cluster);
    else if (ptx_accept(parser, ".minnctapersm"))
        function->min_blocks = (uint32_t)ptx_expect_integer(parser);
    else if (ptx_accept(parser, ".maxnreg"))
        function->max_registers = (uint32_t)ptx_expect_integer(parser);
    else if (ptx_accept(parser, ".maxclusterrank"))
        function->max_cluster_rank = (uint32_t)ptx_expect_integer(parser);
    else if (ptx_accept(parser, ".explicitcluster"))
        function->explicit_cluster = true;
    else if (ptx_accept(parser, ".pragma"))
        ptx_skip_past(parser, ";");
    else if (!ptx_accept(parser, ".noreturn") && !ptx_accept(parser, ".unique"))
        ptx_fail(parser, "unknown directive '%.*s' of %s", (int)parser->token.length,
                 parser->token.text, function->name);
}

static ptx_function *new_function(ptx_parser *parser, bool is_entry)
{
    ptx_function *function = emu_pool_alloc(&parser->module->pool, sizeof *function);
    if (!function)
        return ptx_out_of_memory(parser);
    function->is_entry = is_entry;
    function->line = parser->token.line;
    function->scope.parent = &parser->module->scope;
    parser->function = function;
    parser->scope = &function->scope;
    return function;
}

/* Adds a function to the module. A definition replaces a declaration. */
static void register_function(ptx_parser *parser, ptx_function *function)
{
    ptx_module *module = parser->module;
    for (size_t i = 0; i < module->function_count; i++) {
        ptx_function *other = module->functions[i];
        if (strcmp(other->name, function->name) != 0)
            continue;
        if (other->is_defined && function->is_defined)
            ptx_fail(parser, "%s is defined twice", function->name);
        if (function->is_defined)
            module->functions[i] = function;
        return;
    }
    ptx_function **slot = PTX_APPEND(parser, module, functions, function);
    if (slot)
        *slot = function;
}

static void parse_function(ptx_parser *parser, bool is_entry)
{
    ptx_function *function = new_function(parser, is_entry);
    if (!function)
        return;
    if (ptx_accept(parser, ".attribute"))
        ptx_skip_past(parser, ")");
    if (ptx_at(parser, "("))
        parse_params(parser, true);
    function->name = ptx_expect_word(parser);
    if (ptx_at(parser, "("))
        parse_params(parser, false);
    function->formal_bytes = function->param_bytes;
    if (is_entry) /* their memory is not part of the frame */
        function->param_bytes = 0;
    while (parser->token.kind == PTX_DIRECTIVE)
        parse_attribute(parser);
    if (ptx_at(parser, "{")) {
        function->is_defined = true;
        ptx_parse_body(parser);
    } else
        ptx_expect(parser, ";");
    parser->function = NULL;
    parser->scope = &parser->module->scope;
    if (!parser->failed)
        register_function(parser, function);
}

/* ---- the module ---- */

static void parse_target(ptx_parser *parser)
{
    const char *word = ptx_expect_word(parser);
    int target = 0;
    if (strncmp(word, "sm_", 3) == 0) {
        for (const char *c = word + 3; *c >= '0' && *c <= '9' && target < 100000; c++)
            target = target * 10 + (*c - '0');
        parser->module->target = target;
    } else
        ptx_fail(parser, "unknown target %s", word);
    while (ptx_accept(parser, ","))
        ptx_expect_word(parser);
}

static void parse_header(ptx_parser *parser)
{
    if (ptx_accept(parser, ".version"))
        ptx_advance(parser);
    else if (ptx_accept(parser, ".target"))
        parse_target(parser);
    else if (ptx_accept(parser, ".address_size")) {
        if (ptx_expect_integer(parser) != 64)
            ptx_fail(parser, "only .address_size 64 is supported");
    }
}

static void skip_braces(ptx_parser *parser)
{
    ptx_skip_past(parser, "{");
    for (int depth = 1; depth && parser->token.kind != PTX_END; ptx_advance(parser))
        depth += ptx_at(parser, "{") - ptx_at(parser, "}");
}

/* Parses .file index "name" [, time, size]. */
static void parse_file(ptx_parser *parser)
{
    ptx_file file = {.index = (uint32_t)ptx_expect_integer(parser)};
    file.name = emu_pool_string(&parser->module->pool, parser->token.text, parser->token.length);
    ptx_advance(parser);
    ptx_file *place = PTX_APPEND(parser, parser->module, files, file);
    if (place)
        *place = file;
    while (ptx_accept(parser, ","))
        ptx_advance(parser);
}

static bool parse_linkage(ptx_parser *parser, bool *is_external)
{
    if (ptx_accept(parser, ".extern"))
        return *is_external = true;
    return ptx_accept(parser, ".visible") || ptx_accept(parser, ".weak") ||
           ptx_accept(parser, ".common");
}

static void parse_item(ptx_parser *parser)
{
    bool is_external = false;
    while (parse_linkage(parser, &is_external))
        continue;
    if (ptx_at(parser, ".version") || ptx_at(parser, ".target") || ptx_at(parser, ".address_size"))
        parse_header(parser);
    else if (ptx_accept(parser, ".entry"))
        parse_function(parser, true);
    else if (ptx_accept(parser, ".func"))
        parse_function(parser, false);
    else if (ptx_accept(parser, ".global"))
        ptx_parse_variables(parser, PTX_GLOBAL, is_external);
    else if (ptx_accept(parser, ".const"))
        ptx_parse_variables(parser, PTX_CONST, is_external);
    else if (ptx_accept(parser, ".shared"))
        ptx_parse_variables(parser, PTX_SHARED, is_external);
    else if (ptx_accept(parser, ".file"))
        parse_file(parser);
    else if (ptx_accept(parser, ".section"))
        skip_braces(parser);
    else if (ptx_accept(parser, ".pragma"))
        ptx_skip_past(parser, ";");
    else
        ptx_fail(parser, "unknown directive '%.*s'", (int)parser->token.length, parser->token.text);
}

static bool resolve_relocation(const ptx_parser *parser, ptx_relocation *relocation)
{
    const ptx_module *module = parser->module;
    ptx_variable *target = ptx_find_variable(parser, relocation->name, strlen(relocation->name));
    if (target) {
        relocation->index = target->index;
        target->is_used = true;
        return target->space == PTX_GLOBAL || target->space == PTX_CONST;
    }
    relocation->is_function = true;
    while (relocation->index < module->function_count &&
           strcmp(module->functions[relocation->index]->name, relocation->name) != 0)
        relocation->index++;
    return relocation->index < module->function_count;
}

static void resolve_relocations(ptx_parser *parser)
{
    const ptx_module *module = parser->module;
    for (size_t i = 0; i < module->global_count; i++)
        for (size_t j = 0; j < module->globals[i]->relocation_count; j++)
            if (!resolve_relocation(parser, &module->globals[i]->relocations[j]))
                ptx_fail(parser, "the initialiser of %s needs the address of %s, which is unknown",
                         module->globals[i]->name, module->globals[i]->relocations[j].name);
}

bool ptx_parse(ptx_module *module, const char *text, size_t bytes)
{
    ptx_parser parser = {.module = module, .scope = &module->scope};
    ptx_lexer_begin(&parser.lexer, text, bytes);
    ptx_advance(&parser);
    while (parser.token.kind != PTX_END)
        parse_item(&parser);
    if (!parser.failed)
        resolve_relocations(&parser);
    if (!parser.failed && module->target == 0)
        ptx_fail(&parser, "no .target: this is not a PTX module");
    return !parser.failed;
}

void ptx_module_free(ptx_module *module)
{
    emu_pool_free(&module->pool);
}
