/* Generates the source of a variant from the prelude, its macros and the code of the template. */
#include "kernel/bind/source.h"

#include "kernel/bind/binding.h"
#include "kernel/bind/layout.h"
#include "kernel/template/axis_kind.h"
#include "kernel/template/reader.h"
#include "kernel/text/compiler_options.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generator {
    const gt_binding *binding;
    const gt_config *config;
    const gt_body *body;
    gt_text *macros;
} generator;

static void define_name(generator *g, const char *name, const gt_value *value)
{
    bool negative = !value->word && value->number < 0;
    gt_text_printf(g->macros, negative ? "#define %s (%s)\n" : "#define %s %s\n", name,
                   GT_TEXT_OF_VALUE(value));
}

static const gt_value *value_of(const generator *g, uint32_t index)
{
    const gt_template *template = g->binding->template;
    return index < template->axis_count
               ? &template->axes[index].values[g->config->choice[index]]
               : &g->binding->problem->values[index - template->axis_count];
}

/* Defines the value of each name as a macro. If the values of a name are words, also defines a
 * macro NAME_word for each of them, which is 1 for the chosen word and 0 for the others. */
static void define_values(generator *g)
{
    const gt_template *template = g->binding->template;
    const uint32_t count = gt_name_count(template);
    for (uint32_t k = 0; k < count; k++) {
        /* define problem values before axes */
        const uint32_t i = (template->axis_count + k) % count;
        const gt_chosen_name own = gt_name_at(template, i);
        const bool generates = own.is_axis && gt_axis_traits_of(template->axes[i].kind)->generates;
        if (own.is_size || generates || !(g->body->macros >> i & 1)) {
            continue;
        }
        const gt_value *chosen = value_of(g, i);
        define_name(g, own.name, chosen);
        for (uint32_t v = 0; v < own.count; v++) {
            const char *word = own.values[v].word;
            if (word && !strpbrk(word, " :<")) {
                gt_text_printf(g->macros, "#define %s_%s %d\n", own.name, word,
                               chosen->word && strcmp(chosen->word, word) == 0);
            }
        }
    }
}

static const gt_value *value_named(const generator *g, const char *name)
{
    const int index = gt_name_index(g->binding->template, name);
    return index < 0 ? NULL : value_of(g, (uint32_t)index);
}

static gputune_status define_own(generator *g)
{
    const gt_template_parts *parts = g->binding->template->parts;
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        const gt_value *named = own->value ? value_named(g, own->value->text) : NULL;
        const char *word = own->text;
        if (!word && named) {
            word = named->word;
        }
        if (own->is_name) {
            continue;
        }
        if (word || !own->value) {
            gt_text_printf(g->macros, "#define %s %s\n", own->name, word ? word : "");
        } else {
            gt_value value = {0, NULL};
            GT_TRY(gt_expression_integer(&value.number, own->value, g->binding->slots));
            define_name(g, own->name, &value);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status define_bounds(generator *g)
{
    const gt_template_parts *parts = g->binding->template->parts;
    int64_t bounds[2] = {0, 0};
    for (int i = 0; i < 2 && parts->launch_bounds[i]; i++) {
        GT_TRY(gt_expression_integer(&bounds[i], parts->launch_bounds[i], g->binding->slots));
    }
    if (parts->launch_bounds[0]) {
        gt_text_printf(g->macros, "#define GPUTUNE_LAUNCH_BOUNDS __launch_bounds__(%lld",
                       (long long)bounds[0]);
        if (bounds[1] > 0) {
            gt_text_printf(g->macros, ", %lld", (long long)bounds[1]);
        }
        gt_text_append(g->macros, ")\n");
    }
    return GPUTUNE_OK;
}

/* Prefixes of the names of kernel parameters that pass a block or the first part of a block. */
#define BY_VALUE "gputune_pass_value_"
#define GLOBAL   "gputune_pass_global_"

/* Defines GPUTUNE_PARAM(block), which declares the kernel parameter for a block. The block's struct
 * is declared later than this macro, so the parameter's type is a class template of the struct. */
static void define_parameter(generator *g, const gt_block *block, const char *name,
                             const char *type, bool is_struct, unsigned long long by_value)
{
    if (block->pass == GT_PASS_GLOBAL) {
        gt_text_printf(g->macros, "#define GPUTUNE_PARAM_%s const %s *__restrict__ " GLOBAL "%s,\n",
                       name, type, name);
    } else if (by_value > 0 && is_struct) {
        gt_text_printf(g->macros,
                       "template <typename T> struct gputune_pass_block_%s { T data[%llu]; };\n"
                       "#define GPUTUNE_PARAM_%s const __grid_constant__ "
                       "gputune_pass_block_%s<%s> " BY_VALUE "%s,\n",
                       name, by_value, name, name, type, name);
    } else if (by_value > 0) {
        gt_text_printf(g->macros,
                       "struct gputune_pass_block_%s { %s data[%llu]; };\n"
                       "#define GPUTUNE_PARAM_%s const __grid_constant__ "
                       "gputune_pass_block_%s " BY_VALUE "%s,\n",
                       name, type, by_value, name, name, name);
    } else {
        gt_text_printf(g->macros, "#define GPUTUNE_PARAM_%s\n", name);
    }
}

/* Declares the __constant__ variable of a block. Writes the code that accesses the variable to
 * `out`. */
static void define_symbol(generator *g, char *out, size_t bytes, const gt_block *block,
                          const char *type, bool is_struct, gt_element element)
{
    unsigned rest = gt_block_copied(block);
    (void)snprintf(out, bytes, "%s", block->symbol);
    if (block->pass == GT_PASS_GLOBAL || rest == 0) {
        return;
    }
    if (!is_struct) {
        gt_text_printf(g->macros, "extern \"C\" { __constant__ %s %s[%u]; }\n", type, block->symbol,
                       rest / element.bytes);
        return;
    }
    (void)snprintf(out, bytes, "reinterpret_cast<const %s *>(%s)", type, block->symbol);
    gt_text_printf(g->macros, "extern \"C\" { __constant__ __align__(%u) unsigned char %s[%u]; }\n",
                   element.alignment, block->symbol, rest);
}

static void define_pass(generator *g, const gt_block *block, const gt_argument *declared)
{
    char constant[256], data[2 * GT_NAME_MAX];
    const char *name = declared->name;
    const char *type = gt_type_word(g->binding->template, g->binding->problem, declared->type);
    const gt_element element = gt_element_resolve(g->binding, type);
    bool is_struct = gt_structure_of(g->binding->template, type);
    unsigned long long by_value = block->by_value_bytes / element.bytes;
    unsigned long long all = block->bytes / element.bytes;
    gt_text_printf(g->macros, "#define GPUTUNE_FIRST_%s %llu\n", name,
                   block->pass == GT_PASS_SPLIT ? by_value : all);
    define_parameter(g, block, name, type, is_struct, by_value);
    define_symbol(g, constant, sizeof constant, block, type, is_struct, element);
    (void)snprintf(data, sizeof data,
                   block->pass == GT_PASS_GLOBAL ? GLOBAL "%s" : BY_VALUE "%s.data", name);
    if (block->pass == GT_PASS_SPLIT) {
        gt_text_printf(g->macros, "#define %s(i) gputune_split<%llu>(%s, %s, i)\n", name, by_value,
                       data, constant);
    } else {
        const bool is_array = declared->extent_count > 0;
        gt_text_printf(g->macros, "#define %s(%s) (%s%s)\n", name, is_array ? "i" : "...",
                       block->pass == GT_PASS_CONSTANT ? constant : data, is_array ? "[i]" : "[0]");
    }
}

static gputune_status add_passes(generator *g)
{
    const gt_template *template = g->binding->template;
    gt_block blocks[GT_BLOCK_MAX];
    if (template->pass_count == 0 || g->body == &template->parts->judge_body) {
        return GPUTUNE_OK;
    }
    gt_limit limit = gt_blocks_make(blocks, g->binding, NULL);
    GT_REFUSE(limit, GPUTUNE_ENOVARIANT, "%s cannot pass its blocks in this way: %s",
              template->name, GT_LIMIT_REASON(limit, g->binding->device));
    gt_text_append(g->macros, "#define GPUTUNE_PARAM(block) GPUTUNE_PARAM_##block\n"
                              "#define GPUTUNE_FIRST(block) GPUTUNE_FIRST_##block\n");
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (template->passes[i].axis >= 0) {
            define_pass(g, &blocks[i], &template->passes[i]);
        }
    }
    return GPUTUNE_OK;
}

/* Sets the hash of a source. The hash does not change if comments of the template are edited, so
 * the stored trials remain valid. */
static void make_hash(gt_source *out, const generator *g, const char *prelude)
{
    out->hash = gt_hash_join(gt_hash_string(prelude), gt_hash_string(gt_text_string(g->macros)));
    out->hash = gt_hash_join(out->hash, g->body->tokens);
    if (g->binding->template->has_headers) {
        out->headers = g->binding->template->parts->headers.low;
        out->hash = gt_hash_join(out->hash, g->binding->template->parts->headers);
    }
    for (size_t i = 0; i < out->option_count; i++) {
        out->hash = gt_hash_join(out->hash, gt_hash_string(out->options[i]));
    }
    for (size_t i = 0; i < out->instance_count; i++) {
        out->hash = gt_hash_join(out->hash, gt_hash_string(out->instances[i]));
    }
}

/* Adds an instance of a C++ kernel template, such as "ns::scan<float, 128>". For a further launch
 * of the kernel, adds the launch's own name as well: "ns::scan_launch2 = ns::scan<float, 64>". */
static gputune_status add_instance(gt_source *out, const generator *g, const gt_kernel_name *kernel)
{
    gt_text text = {0};
    gt_lexer lexer = kernel->arguments;
    bool colons = false;
    if (!kernel->is_template) {
        return GPUTUNE_OK;
    }
    if (kernel->entry[kernel->qualified]) {
        gt_text_printf(&text, "%s = ", kernel->entry);
    }
    gt_text_printf(&text, "%.*s<", (int)kernel->qualified, kernel->entry);
    while (lexer.token.kind != GT_TOKEN_END) {
        const gt_token token = lexer.token;
        gt_lexer_next(&lexer);
        bool qualified = colons || gt_lexer_is(&lexer, "::");
        const gt_value *value = qualified ? NULL : value_named(g, GT_TOKEN_TEXT(&token));
        if (value) {
            gt_text_printf(&text, !value->word && value->number < 0 ? "(%s)" : "%s",
                           GT_TEXT_OF_VALUE(value));
        } else {
            gt_text_append_bytes(&text, token.text, token.length);
        }
        bool apart =
            lexer.token.kind != GT_TOKEN_END && lexer.token.text > token.text + token.length;
        gt_text_append(&text, apart ? " " : "");
        colons = gt_token_is(&token, "::");
    }
    gt_text_append(&text, ">");
    return gt_text_take(&out->instances[out->instance_count++], &text);
}

static gputune_status add_instances(gt_source *out, const generator *g)
{
    const gt_template_parts *parts = g->binding->template->parts;
    if (g->body == &parts->judge_body) {
        GT_TRY(add_instance(out, g, &parts->reference.kernel));
        GT_TRY(add_instance(out, g, &parts->check.kernel));
        return add_instance(out, g, &parts->init.kernel);
    }
    for (uint32_t i = 0; i < parts->step_count; i++) {
        GT_TRY(add_instance(out, g, &parts->steps[i].kernel));
    }
    return parts->reference.self ? add_instance(out, g, &parts->init.kernel) : GPUTUNE_OK;
}

/* CUtensorMap as in <cuda.h>, because a template need not include <cuda.h> */
static const char tensormap_type[] =
    "#ifndef __cuda_cuda_h__\n"
    "typedef struct CUtensorMap_st { alignas(64) unsigned long long opaque[16]; } CUtensorMap;\n"
    "#endif\n";

/* Appends assertions that the type of an output in the reference is not an alias of double. */
static void assert_outputs(gt_text *text, const generator *g)
{
    const gt_template *template = g->binding->template;
    const gt_judge *reference = &template->parts->reference;
    uint32_t place = 0;
    if (g->body != &template->parts->judge_body || reference->kernel.is_template ||
        !reference->unread_mask) {
        return;
    }
    for (uint32_t i = 0; i < template->pass_count; i++) {
        place += template->passes[i].axis >= 0;
    }
    gt_text_append(text,
                   "\n#line 1 \"gputune\"\n"
                   "template <int gputune_i, typename gputune_t, typename... gputune_more> struct "
                   "gputune_nth : gputune_nth<gputune_i - 1, gputune_more...> {};\n"
                   "template <typename gputune_t, typename... gputune_more> struct gputune_nth<0, "
                   "gputune_t, gputune_more...> { static constexpr size_t bytes = 0; };\n"
                   "template <typename... gputune_more> struct gputune_nth<0, double *, "
                   "gputune_more...> { static constexpr size_t bytes = 8; };\n"
                   "template <int gputune_i, typename... gputune_all> constexpr size_t "
                   "gputune_double_bytes(void (*)(gputune_all...)) { return "
                   "gputune_nth<gputune_i, gputune_all...>::bytes; }\n");
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (reference->unread_mask >> i & 1) {
            gt_text_printf(text,
                           "static_assert(gputune_double_bytes<%u>(&%s) <= sizeof(%s), \"'%s' is "
                           "declared with an alias of double; expected double, or the type in "
                           "args()\");\n",
                           place + i, reference->kernel.name,
                           gt_type_word(template, g->binding->problem, argument->type),
                           argument->name);
        }
    }
}

/* NVRTC rejects host functions, but headers such as those of Thrust contain some. */
static const char no_host[] =
    "\n#ifdef __CUDACC_RTC__\n#undef __host__\n#define __host__\n#endif\n";

static gputune_status assemble_source(gt_source *out, const generator *g, const char *prelude)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const gt_body *body = g->body;
    gt_text_append(&text, "#line 1 \"gputune.cuh\"\n");
    gt_text_append(&text, prelude);
    if (body->head > 0) {
        gt_text_append(&text, g->binding->template->has_headers ? no_host : "\n");
        gt_line_mark_append(&text, 1, g->binding->template->path);
        gt_text_append_bytes(&text, body->text, body->head);
        out->head_bytes = g->binding->template->has_headers ? text.length : 0;
    }
    gt_text_append(&text, "\n#line 1 \"gputune\"\n");
    if (g->binding->template->parts->map_count > 0) {
        gt_text_append(&text, tensormap_type);
    }
    gt_text_append(&text, gt_text_string(g->macros));
    gt_text_append(&text, body->mark);
    gt_text_append(&text, body->text + body->head);
    for (size_t i = 0; i < out->instance_count; i++) {
        gt_text_printf(&text, "// instantiated as %s\n", out->instances[i]);
    }
    assert_outputs(&text, g);
    GT_TRY(gt_structures_assert(&text, g->binding));
    make_hash(out, g, prelude);
    return gt_text_take(&out->text, &text);
}

_Static_assert((int)GT_OPTION_MAX + 1 <= (int)GT_SOURCE_OPTIONS, "options() and maxreg()");

static gputune_status limit_to(gt_source *out, int64_t registers)
{
    return gt_format(&out->options[out->option_count++], "--maxrregcount=%lld",
                     (long long)registers);
}

static gputune_status add_maxreg(gt_source *out, const gt_binding *binding)
{
    int64_t value = 0;
    const gt_expression *maxreg = binding->template->parts->maxreg;
    if (maxreg) {
        GT_TRY(gt_expression_integer(&value, maxreg, binding->slots));
        GT_REFUSE_AT(value < 0 || value > 255, maxreg->place,
                     "maxreg is %lld; expected 0 (no limit) to 255", (long long)value);
    }
    return value ? limit_to(out, value) : GPUTUNE_OK;
}

/* Returns a judge's number of threads per block, or 0 if it is absent or its block is invalid. */
static int64_t threads_of(const gt_binding *binding, const gt_judge *judge)
{
    int64_t threads = judge->present ? 1 : 0;
    for (uint32_t i = 0; i < judge->block.count && judge->present; i++) {
        int64_t extent = 1;
        if (gt_expression_integer(&extent, judge->block.items[i], binding->slots) < 0 ||
            extent < 1 || extent > binding->device->max_threads_per_block) {
            return 0;
        }
        threads *= extent;
    }
    return threads;
}

static gputune_status limit_registers(gt_source *out, const gt_binding *binding)
{
    enum { MOST = 255, UNIT = 8 };
    const gt_template_parts *parts = binding->template->parts;
    const gt_judge *const judges[] = {&parts->reference, &parts->check, &parts->init};
    int64_t threads = 1;
    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++) {
        int64_t its = threads_of(binding, judges[i]);
        threads = its > threads ? its : threads;
    }
    const int64_t registers = binding->device->registers_per_block / threads / UNIT * UNIT;
    return registers < UNIT || registers > MOST ? GPUTUNE_OK : limit_to(out, registers);
}

/* Evaluates options() and maxreg(). If `kernel` is false, the source contains judges. They get only
 * the options that change the meaning of code, and a register limit that fits their blocks. */
static gputune_status make_options(gt_source *out, const gt_binding *binding, bool kernel)
{
    const gt_template_parts *parts = binding->template->parts;
    for (uint32_t i = 0, decided = UINT32_MAX; i < parts->option_count; i++) {
        const gt_option *option = &parts->options[i];
        int64_t holds = 1;
        if (option->item == decided) {
            continue; /* an earlier condition was true */
        }
        if (option->condition) {
            GT_TRY(gt_expression_integer(&holds, option->condition, binding->slots));
        }
        decided = holds ? option->item : decided;
        if (holds && *option->text && (kernel || gt_compiler_option_has_meaning(option->text))) {
            GT_TRY(gt_strdup(&out->options[out->option_count++], option->text));
        }
    }
    return kernel ? add_maxreg(out, binding) : limit_registers(out, binding);
}

static gputune_status generate_source(gt_source *out, const gt_template *template,
                                      const gt_problem *problem, const gt_config *config,
                                      const gt_device *device, const char *prelude,
                                      const gt_body *body)
{
    bool kernel = body == &template->parts->kernel_body;
    gt_binding binding;
    GT_SCOPED(gt_text_free) gt_text macros = {0};
    GT_SCOPED(gt_source_free) gt_source source = {0};
    generator g = {.binding = &binding, .config = config, .body = body, .macros = &macros};
    gt_binding_open(&binding, template, problem, device);
    gt_slots_config(binding.slots, template, config);
    define_values(&g);
    GT_TRY(define_own(&g));
    if (kernel) {
        GT_TRY(define_bounds(&g));
    }
    GT_TRY(add_passes(&g));
    if (macros.failed) {
        return gt_fail_memory();
    }
    GT_TRY(make_options(&source, &binding, kernel));
    GT_TRY(add_instances(&source, &g));
    GT_TRY(assemble_source(&source, &g, prelude));
    *out = gt_take(&source);
    return GPUTUNE_OK;
}

gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude)
{
    return generate_source(out, template, problem, config, device, prelude,
                           &template->parts->kernel_body);
}

gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude)
{
    const gt_config standard = gt_config_default(template), own = gt_reference_config(template);
    if (template->parts->reference.self) {
        return gt_source_generate(out, template, problem, &own, device, prelude);
    }
    const gt_template_parts *parts = template->parts;
    GT_REFUSE(!parts->reference.present && !parts->check.present && !parts->init.present,
              GPUTUNE_ETEMPLATE,
              "%s:1:1: no 'reference'; expected #pragma gputune reference(KERNEL, …)",
              template->path);
    return generate_source(out, template, problem, &standard, device, prelude, &parts->judge_body);
}

static bool has_defaults(const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    const uint64_t names = parts->judge_body.macros | parts->judge_body.instances;
    bool has = (names & ((UINT64_C(1) << template->axis_count) - 1)) != 0;
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        has |= !own->is_name && gt_expression_uses_any(own->value, GT_SLOT_AXIS, GT_AXIS_MAX);
    }
    return has;
}

gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude)
{
    const gt_template_parts *parts = template->parts;
    const gt_config own = gt_reference_config(template);
    bool by_kernel = parts->reference.present || parts->check.present;
    GT_SCOPED(gt_source_free) gt_source source = {0};
    *out = (gt_hash){0};
    if (by_kernel && !has_defaults(template)) {
        return GPUTUNE_OK;
    }
    if (by_kernel) {
        GT_TRY(gt_source_reference(&source, template, problem, device, prelude));
        *out = source.hash;
        return GPUTUNE_OK;
    }
    GT_TRY(gt_source_generate(&source, template, problem, &own, device, prelude));
    *out = gt_trial_hash(template, &own, source.hash);
    return GPUTUNE_OK;
}

void gt_source_free(gt_source *source)
{
    for (size_t i = 0; i < source->option_count; i++) {
        free(source->options[i]);
    }
    for (size_t i = 0; i < source->instance_count; i++) {
        free(source->instances[i]);
    }
    free(source->text);
    *source = (gt_source){0};
}
