/* The pragmas pass and constant: blocks of parameters that the caller gives as host memory. */
#include "kernel/structure.h"
#include "kernel/types.h"

#include <string.h>

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

/* `TYPE[COUNT]`, or the name of a struct alone. */
static gputune_status read_elements(gt_argument *block, gt_parse *p)
{
    const gt_lexer begin = p->at;
    /* `float[` has no name behind the type, so the words end at the bracket */
    GT_TRY(
        gt_words_read(block->type, sizeof block->type, &p->at, "a type, as in float[COUNT]", true));
    gt_element element;
    if (!gt_element_from_name(&element, block->type)) {
        const char *end = p->at.token.text;
        p->at = begin;
        GT_TRY(gt_read_element_type(block->type, p));
        GT_EXPECT(p->at.token.text == end, &p->at, "'[' and the number of elements");
    }
    if (!gt_lexer_is(&p->at, "[") && gt_structure_of(p->template, block->type)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_lexer_expect(&p->at, "["));
    GT_TRY(gt_read_integer_expression(block->extents, p, GT_USE_CONST));
    block->extent_count = 1;
    return gt_lexer_expect(&p->at, "]");
}

static gputune_status read_contents(gt_argument *block, gt_parse *p)
{
    bool stated;
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_contents(block, &stated, p, ":"));
    GT_REFUSE_AT(!stated && gt_element_may_be_integer(p->template, block->type), place,
                 "integers of '%s' without a fill; expected ': uniform(low, high)', "
                 "': index', ': zero', ': constant(value)' or another fill",
                 block->name);
    return GPUTUNE_OK;
}

/* pass(NAME : TYPE[COUNT] = value, split : fill) */
gputune_status gt_parse_pass(gt_parse *p)
{
    gt_argument *block = NULL;
    uint32_t axis = 0;
    GT_TRY(new_block(&block, p, gt_lexer_place(&p->at)));
    GT_TRY(gt_new_axis(&axis, p, GT_AXIS_PASS));
    block->axis = (int)axis;
    memcpy(block->name, p->template->axes[axis].name, sizeof block->name);
    GT_TRY(gt_lexer_expect(&p->at, ":"));
    GT_TRY(read_elements(block, p));
    GT_TRY(gt_read_axis_values(p, axis));
    return read_contents(block, p);
}

bool gt_declares_constant(gt_token *type, gt_lexer *behind, const gt_parse *p, const char *name)
{
    gt_token last = {GT_TOKEN_END, "", 0, 0, 0};
    int depth = 0;
    bool is_constant = false, extern_c = false;
    gt_lexer lexer = gt_lexer_of(p->code), line;
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        while (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
        }
        extern_c |= gt_lexer_is(&lexer, "\"C\"");
        bool ends = gt_lexer_is(&lexer, ";") || gt_lexer_is(&lexer, "}");
        const gt_token before = last;
        last = lexer.token;
        is_constant =
            (is_constant || gt_token_is_any(&lexer.token, "__constant__ __device__")) && !ends;
        if (is_constant && depth == 0 && gt_lexer_is(&lexer, name)) {
            *type = before;
            gt_lexer_next(&lexer);
            *behind = lexer;
            return true;
        }
        depth += gt_lexer_is(&lexer, "(") || (gt_lexer_is(&lexer, "{") && !extern_c);
        depth -= gt_token_is_any(&lexer.token, ") }") && depth > 0;
        extern_c &= gt_lexer_is(&lexer, "\"C\"");
    }
    return false;
}

/* Where both the code and the clause name a number type, their elements must be alike. */
static gputune_status check_constant_type(const gt_argument *block, const gt_token *declared)
{
    char name[GT_NAME_MAX];
    gt_element own, of_code;
    (void)gt_token_copy(name, sizeof name, declared);
    if (!gt_element_from_name(&own, block->type) || !gt_element_from_name(&of_code, name) ||
        (own.bytes == of_code.bytes &&
         gt_type_is_float(own.type) == gt_type_is_float(of_code.type))) {
        return GPUTUNE_OK;
    }
    return gt_fail_at(block->place,
                      "'%s' has elements of %s in the code, and of %s here; expected %s : %s[…]",
                      block->name, name, block->type, block->name, name);
}

/* The value of a count, or -1 where it depends on the problem. */
static int64_t number_of(const gt_expression *expression)
{
    static const int64_t slots[GT_SLOT_MAX];
    int64_t value = -1;
    return gt_expression_uses_any(expression, 0, GT_SLOT_MAX) ||
                   gt_expression_try(&value, expression, slots)
               ? -1
               : value;
}

/* The elements that the code declares, by the extents behind the name; -1: only the compiler knows.
 */
static int64_t declared_elements(gt_parse *p, const gt_lexer *behind)
{
    const gt_lexer body = p->at;
    int64_t elements = 1;
    p->at = *behind;
    while (elements > 0 && gt_lexer_accept(&p->at, "[")) {
        const gt_expression *extent = NULL;
        bool read = gt_read_integer_expression(&extent, p, GT_USE_CONST) == GPUTUNE_OK &&
                    gt_lexer_accept(&p->at, "]");
        int64_t value = read ? number_of(extent) : -1;
        if (value < 1 || __builtin_mul_overflow(elements, value, &elements)) {
            elements = -1;
        }
    }
    p->at = body;
    return elements;
}

/* constant(NAME : TYPE[COUNT] : fill) */
gputune_status gt_parse_constant(gt_parse *p)
{
    gt_argument *block = NULL;
    gt_token type;
    gt_lexer behind;
    GT_TRY(new_block(&block, p, gt_lexer_place(&p->at)));
    GT_TRY(gt_name_read(block->name, sizeof block->name, &p->at, "a __constant__ symbol's name"));
    GT_TRY(gt_lexer_expect(&p->at, ":"));
    const gt_argument *passes = p->template->passes;
    const int first = GT_NAMED(passes, p->template->pass_count - 1, block->name);
    GT_REFUSE_AT(first >= 0, block->place,
                 "'%s' declared twice; expected it once (first on line %d)", block->name,
                 passes[first].place.line);
    GT_REFUSE_AT(!gt_declares_constant(&type, &behind, p, block->name), block->place,
                 "no __constant__ '%s'; expected '__constant__ TYPE %s[…];' in this file, and not "
                 "in a namespace",
                 block->name, block->name);
    GT_TRY(read_elements(block, p));
    GT_TRY(check_constant_type(block, &type));
    /* What the caller fills must fit into what the code declares. Another type's elements may be of
     * another size: a typedef of an array, say. */
    const int64_t own = block->extent_count ? number_of(block->extents[0]) : 1;
    const int64_t of_code = gt_token_is(&type, block->type) ? declared_elements(p, &behind) : -1;
    GT_REFUSE_AT(of_code >= 0 && own > of_code, block->place,
                 "'%s' has %lld element%s in the code, and %lld here; expected %s : %s[%lld]",
                 block->name, (long long)of_code, gt_plural((size_t)of_code), (long long)own,
                 block->name, block->type, (long long)of_code);
    GT_EXPECT(!gt_lexer_is(&p->at, "="), &p->at,
              "':' and a fill, as in constant(w : float[9] : zero)");
    return read_contents(block, p);
}
