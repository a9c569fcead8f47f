/* Parses the clauses problem and default, and all clauses that declare axes or parameter blocks. */
#include "kernel/template/parse.h"

#include "kernel/template/axis_kind.h"
#include "kernel/template/structure.h"
#include "kernel/text/types.h"

#include <string.h>

static gputune_status new_axis(gt_parse *p, gt_axis_kind kind)
{
    gt_template *template = p->template;
    const uint32_t index = template->axis_count;
    gt_axis *axis = &template->axes[index];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_check_room(index, GT_AXIS_MAX, "tunables", place));
    GT_TRY(gt_read_new_name(axis->name, p, "NAME = values"));
    gt_value *values = calloc(GT_AXIS_VALUES, sizeof *values);
    GT_TRY(gt_keep(p->parts, values));
    p->parts->axis_values[index] = values;
    axis->values = values;
    axis->kind = kind;
    axis->place = place;
    template->axis_count++;
    return GPUTUNE_OK;
}

static gputune_status read_axis_values(gt_parse *p)
{
    const uint32_t index = p->template->axis_count - 1;
    gt_axis *axis = &p->template->axes[index];
    GT_TRY(gt_lexer_expect(&p->at, "="));
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_values(p->parts->axis_values[index], &axis->count, GT_AXIS_OWN_VALUES, p));
    p->parts->value_count[index] = axis->count;
    for (uint32_t i = 0; i < axis->count; i++) {
        const char *refusal = gt_axis_refuses(axis, &axis->values[i]);
        GT_REFUSE_AT(refusal, place, "%s has the value %s; expected %s", axis->name,
                     GT_TEXT_OF_VALUE(&axis->values[i]), refusal);
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_axis(gt_parse *p)
{
    GT_TRY(new_axis(p, gt_axis_kind_of(p->clause->word)));
    return read_axis_values(p);
}

gputune_status gt_parse_vector(gt_parse *p)
{
    GT_TRY(gt_parse_axis(p));
    const uint32_t index = p->template->axis_count - 1;
    GT_EXPECT(gt_lexer_is(&p->at, ":"), &p->at,
              gt_axis_traits_of(p->template->axes[index].kind)->buffers);
    gt_lexer_next(&p->at);
    p->vector_buffers[index] = p->at;
    while (p->at.token.kind != GT_TOKEN_END) {
        gt_lexer_next(&p->at);
    }
    return GPUTUNE_OK;
}

static gputune_status read_vector_buffers(gt_parse *p, uint32_t index)
{
    gt_axis *axis = &p->template->axes[index];
    const gt_axis_traits *traits = gt_axis_traits_of(axis->kind);
    p->at = p->vector_buffers[index];
    do {
        uint32_t i;
        const gt_lexer name = p->at;
        GT_TRY(gt_read_buffer(&i, p, GT_BUFFER_ANY | (traits->one_buffer ? GT_BUFFER_SCRATCH : 0),
                              "a buffer's name",
                              traits->one_buffer ? "a buffer; expected one of args() or scratch()"
                                                 : "a buffer; expected one of args()"));
        GT_REFUSE_AT(axis->buffers >> i & 1, gt_lexer_place(&name),
                     "'%.*s' is given twice; expected each buffer once", (int)name.token.length,
                     name.token.text);
        axis->buffers |= UINT64_C(1) << i;
    } while (!traits->one_buffer && gt_lexer_accept(&p->at, ","));
    return gt_read_end(p);
}

gputune_status gt_parse_vector_buffers(gt_parse *p)
{
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        if (gt_axis_traits_of(p->template->axes[i].kind)->buffers) {
            GT_TRY(read_vector_buffers(p, i));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_cluster(gt_parse *p)
{
    gt_dimensions *cluster = &p->parts->steps[0].cluster;
    do {
        GT_EXPECT(cluster->count != 3, &p->at, "one to three dimensions");
        GT_TRY(gt_parse_axis(p));
        const gt_axis *axis = &p->template->axes[p->template->axis_count - 1];
        GT_TRY(gt_read_text(&cluster->items[cluster->count++], p, axis->name, strlen(axis->name),
                            axis->place, GT_USE_AXIS));
    } while (gt_lexer_accept(&p->at, ";"));
    return GPUTUNE_OK;
}

/* Adds a position to the current error message. */
static gputune_status fail_there(gputune_status status, gt_place place)
{
    return status == GPUTUNE_EINVAL ? gt_fail_at(place, "%s", gt_message()) : status;
}

gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p)
{
    gt_value value;
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(name, sizeof name, &p->at, "AXIS = value"));
    GT_TRY(fail_there(gt_name_find(axis, p->template, true, name), place));
    GT_REFUSE_AT(*given >> *axis & 1, place, "'%s' is given twice; expected each axis once", name);
    *given |= UINT64_C(1) << *axis;
    GT_TRY(gt_lexer_expect(&p->at, "="));
    place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_value(&value, p));
    return fail_there(gt_axis_choice(choice, p->template, *axis, GT_TEXT_OF_VALUE(&value), false),
                      place);
}

gputune_status gt_parse_default(gt_parse *p)
{
    uint32_t axis = 0;
    uint8_t choice = 0;
    GT_TRY(gt_read_choice(&axis, &choice, &p->defaulted, p));
    p->template->axes[axis].default_choice = choice;
    return GPUTUNE_OK;
}

gputune_status gt_parse_start(gt_parse *p)
{
    gt_template *template = p->template;
    gt_config *starts = p->parts->starts;
    gt_config start = gt_config_default(template);
    uint64_t given = 0;
    GT_TRY(gt_check_room(template->start_count, GT_START_MAX, "start clauses", p->clause->place));
    do {
        uint32_t axis = 0;
        uint8_t choice = 0;
        GT_TRY(gt_read_choice(&axis, &choice, &given, p));
        start.choice[axis] = choice;
    } while (gt_lexer_accept(&p->at, ","));
    starts[template->start_count++] = start;
    template->starts = starts;
    return GPUTUNE_OK;
}

/* Reads the values of a problem value that is a const or a type. The first value is the default. If
 * a const has only one value, any other value is accepted, too. */
static gputune_status read_listed(gt_problem_value *value, gt_parse *p)
{
    gt_value *values = calloc(GT_AXIS_OWN_VALUES, sizeof *values);
    GT_TRY(gt_keep(p->parts, values));
    value->values = values;
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_values(values, &value->count, GT_AXIS_OWN_VALUES, p));
    for (uint32_t i = 0; i < value->count; i++) {
        GT_REFUSE_AT(!values[i].word != (value->kind == GT_PROBLEM_CONST), place,
                     "wrong kind of value for %s; expected %s", value->name,
                     value->kind == GT_PROBLEM_CONST ? "integers" : "types");
    }
    value->fallback = values[0];
    if (value->kind == GT_PROBLEM_CONST && value->count == 1) {
        value->count = 0;
    }
    return GPUTUNE_OK;
}

static gputune_status read_problem_value(gt_parse *p)
{
    gt_template *template = p->template;
    uint32_t index = template->problem_count;
    gt_problem_value *value = &template->problem[index];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_check_room(index, GT_PROBLEM_MAX, "problem values", place));
    static const gt_problem_kind kinds[] = {GT_PROBLEM_SIZE, GT_PROBLEM_CONST, GT_PROBLEM_TYPE};
    value->kind = kinds[1 + gt_lexer_accept_any(&p->at, "const type")];
    value->place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_new_name(value->name, p, "NAME = value"));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    template->problem_count++;
    if (value->kind != GT_PROBLEM_SIZE) {
        return read_listed(value, p);
    }
    place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_constant(&value->fallback.number, p));
    GT_REFUSE_AT(value->fallback.number < 0 || value->fallback.number > GT_SIZE_MAX, place,
                 "size %s is %lld; expected 0 to 2^40", value->name,
                 (long long)value->fallback.number);
    return GPUTUNE_OK;
}

gputune_status gt_parse_problem(gt_parse *p)
{
    do {
        GT_TRY(read_problem_value(p));
    } while (gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}

static gputune_status new_block(gt_argument **out, gt_parse *p, gt_place place)
{
    gt_template *template = p->template;
    GT_TRY(gt_check_room(template->pass_count, GT_BLOCK_MAX, "blocks", place));
    *out = &template->passes[template->pass_count++];
    (*out)->is_buffer = true;
    (*out)->axis = -1;
    (*out)->place = place;
    return GPUTUNE_OK;
}

/* Reads `TYPE[COUNT]`, or only the name of a struct. */
static gputune_status read_elements(gt_argument *block, gt_parse *p)
{
    const gt_lexer begin = p->at;
    GT_TRY(
        gt_words_read(block->type, sizeof block->type, &p->at, "a type, as in float[COUNT]", true));
    if (!gt_is_type(block->type)) {
        const char *end = p->at.token.text;
        p->at = begin;
        GT_TRY(gt_read_element_type(block->type, p));
        GT_EXPECT(p->at.token.text == end, &p->at, "'[' and the number of elements");
    }
    if (!gt_lexer_is(&p->at, "[") && gt_structure_of(p->template, block->type)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_lexer_expect(&p->at, "["));
    GT_TRY(gt_read_expression(block->extents, p, GT_USE_CONST, false));
    block->extent_count = 1;
    return gt_lexer_expect(&p->at, "]");
}

/* Reads a clause such as pass(NAME : TYPE[COUNT] = value, split : fill). */
gputune_status gt_parse_pass(gt_parse *p)
{
    gt_argument *block = NULL;
    GT_TRY(new_block(&block, p, gt_lexer_place(&p->at)));
    GT_TRY(new_axis(p, GT_AXIS_PASS));
    block->axis = (int)p->template->axis_count - 1;
    memcpy(block->name, p->template->axes[block->axis].name, sizeof block->name);
    GT_TRY(gt_lexer_expect(&p->at, ":"));
    GT_TRY(read_elements(block, p));
    GT_TRY(read_axis_values(p));
    return gt_read_contents(block, p, ":", gt_lexer_place(&p->at));
}

/* Returns the type that ends before `name`, such as "unsigned int", as one token. */
static gt_token type_before(const gt_word *begin, const gt_word *name)
{
    gt_token type = name[-1].token;
    for (const gt_word *at = name - 1;
         at > begin && gt_token_is_any(&at[-1].token, "unsigned signed long short") &&
         at[-1].token.text < at->token.text && at->token.text < at[-1].token.text + GT_NAME_MAX;
         at--) {
        type.length += (size_t)(type.text - at[-1].token.text);
        type.text = at[-1].token.text;
    }
    return type;
}

bool gt_declares_constant(gt_token *type, gt_lexer *after, const gt_parse *p, const char *name)
{
    const gt_word *w = p->found.words.items;
    const uint32_t id = gt_macros_id(&p->found.macros, name, strlen(name));
    for (size_t i = 0; (i = gt_piece_find(&p->found, i, id)) < p->found.items.count; i++) {
        const gt_piece *piece = &p->found.items.items[i];
        const size_t at = gt_word_find(w, piece->begin, piece->end, id);
        if (piece->kind == GT_PIECE_VARIABLE && piece->is_marked && piece->space == 0 &&
            at > piece->begin && at < piece->end) {
            *type = type_before(&w[piece->begin], &w[at]);
            *after = gt_lexer_of(w[at].token.text + w[at].token.length);
            return true;
        }
    }
    return false;
}

static gputune_status check_constant_type(const gt_argument *block, const gt_token *declared)
{
    const char *name = GT_TOKEN_TEXT(declared);
    gt_element own, of_code;
    if (!gt_element_from_name(&own, block->type) || !gt_element_from_name(&of_code, name) ||
        (own.bytes == of_code.bytes &&
         gt_type_is_float(own.type) == gt_type_is_float(of_code.type))) {
        return GPUTUNE_OK;
    }
    return gt_fail_at(block->place,
                      "'%s' has elements of %s in the code, and of %s here; expected %s : %s[…]",
                      block->name, name, block->type, block->name, name);
}

/* Returns the value of an expression, or -1 if it depends on problem values. */
static int64_t number_of(const gt_expression *expression)
{
    static const int64_t slots[GT_SLOT_MAX];
    int64_t value = -1;
    return gt_expression_uses_any(expression, 0, GT_SLOT_MAX) ||
                   gt_expression_try(&value, expression, slots)
               ? -1
               : value;
}

/* Returns the number of elements in a declaration, or -1 if only the compiler knows the number. */
static int64_t declared_elements(gt_parse *p, const gt_lexer *after)
{
    const gt_lexer body = p->at;
    int64_t elements = 1;
    p->at = *after;
    while (elements > 0 && gt_lexer_accept(&p->at, "[")) {
        const gt_expression *extent = NULL;
        bool read = gt_read_expression(&extent, p, GT_USE_CONST, false) == GPUTUNE_OK &&
                    gt_lexer_accept(&p->at, "]");
        int64_t value = read ? number_of(extent) : -1;
        if (value < 1 || __builtin_mul_overflow(elements, value, &elements)) {
            elements = -1;
        }
    }
    p->at = body;
    return elements;
}

/* Reads a clause such as constant(NAME : TYPE[COUNT] : fill). */
gputune_status gt_parse_constant(gt_parse *p)
{
    gt_argument *block = NULL;
    gt_token type;
    gt_lexer after;
    GT_TRY(new_block(&block, p, gt_lexer_place(&p->at)));
    GT_TRY(gt_name_read(block->name, sizeof block->name, &p->at, "a __constant__ symbol's name"));
    GT_TRY(gt_lexer_expect(&p->at, ":"));
    const gt_argument *passes = p->template->passes;
    const int first = GT_NAMED(passes, p->template->pass_count - 1, block->name);
    GT_REFUSE_AT(first >= 0, block->place,
                 "'%s' is declared twice; expected it once (first on line %d)", block->name,
                 passes[first].place.line);
    GT_REFUSE_AT(!gt_declares_constant(&type, &after, p, block->name), block->place,
                 "no __constant__ '%s'; expected '__constant__ TYPE %s[…];' in this file, outside "
                 "any namespace",
                 block->name, block->name);
    GT_TRY(read_elements(block, p));
    GT_TRY(check_constant_type(block, &type));
    /* The array in the code must have room for the caller's values. Its size is not checked if the
     * code has another name for the type, such as a typedef of an array. */
    const int64_t own = block->extent_count ? number_of(block->extents[0]) : 1;
    const int64_t of_code = gt_token_is(&type, block->type) ? declared_elements(p, &after) : -1;
    GT_REFUSE_AT(of_code >= 0 && own > of_code, block->place,
                 "'%s' has %lld element%s in the code, and %lld here; expected %s : %s[%lld]",
                 block->name, (long long)of_code, gt_plural((size_t)of_code), (long long)own,
                 block->name, block->type, (long long)of_code);
    GT_EXPECT(!gt_lexer_is(&p->at, "="), &p->at,
              "':' and a fill, as in constant(w : float[9] : zero)");
    return gt_read_contents(block, p, ":", gt_lexer_place(&p->at));
}
