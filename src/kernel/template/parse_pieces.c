/* Parses parts that several clauses have in common. */
#include "kernel/template/parse.h"
#include "kernel/template/structure.h"
#include "kernel/text/types.h"

#include <string.h>

gputune_status gt_read_end(const gt_parse *p)
{
    GT_EXPECT(p->at.token.kind == GT_TOKEN_END, &p->at, "',' or ')'");
    return GPUTUNE_OK;
}

gputune_status gt_read_expression(const gt_expression **out, gt_parse *p, unsigned use,
                                  bool is_real)
{
    gt_expression *read;
    gt_symbols symbols = {p->template, use, &p->found};
    gt_scope scope = gt_symbols_scope(&symbols);
    GT_REFUSE_AT(*out, gt_lexer_place(&p->at),
                 "this is given twice; expected it once (first as '%s')", (*out)->text);
    GT_TRY(gt_expression_read(&read, &p->at, &scope));
    GT_TRY(gt_keep(p->parts, read));
    read->word = p->word ? p->word : "";
    read->before = p->parts->expressions;
    *out = p->parts->expressions = read;
    GT_REFUSE_AT(read->is_real && !is_real, read->place,
                 "'%s' is floating-point; expected an integer expression", read->text);
    return GPUTUNE_OK;
}

gputune_status gt_read_text(const gt_expression **out, gt_parse *p, const char *text, size_t length,
                            gt_place place, unsigned use)
{
    const gt_lexer outside = p->at;
    gt_lexer_open(&p->at, text, length, place);
    GT_TRY(gt_read_expression(out, p, use, false));
    GT_EXPECT(p->at.token.kind == GT_TOKEN_END, &p->at, "')'");
    p->at = outside;
    return GPUTUNE_OK;
}

gputune_status gt_read_constant(int64_t *out, gt_parse *p)
{
    static const int64_t none[GT_SLOT_MAX];
    const gt_expression *expression = NULL;
    GT_TRY(gt_read_expression(&expression, p, 0, false));
    return gt_expression_integer(out, expression, none);
}

/* Skips a comma, unless it is followed by `NAME =`, `const NAME =` or `type NAME =`. */
static bool accept_comma(gt_lexer *lexer)
{
    gt_lexer ahead = *lexer;
    if (!gt_lexer_accept(&ahead, ",")) {
        return false;
    }
    const gt_lexer after = ahead;
    (void)gt_lexer_accept_any(&ahead, "const type");
    if (ahead.token.kind == GT_TOKEN_NAME) {
        gt_lexer_next(&ahead);
    }
    const bool is_setting = gt_lexer_is(&ahead, "=");
    *lexer = is_setting ? *lexer : after;
    return !is_setting;
}

static bool opens_list(gt_lexer lexer)
{
    if (!gt_lexer_accept(&lexer, "(")) {
        return false;
    }
    gt_lexer_skip_to(&lexer, ", )");
    return gt_lexer_is(&lexer, ",");
}

gputune_status gt_read_dimensions(gt_dimensions *out, uint32_t most, gt_parse *p, unsigned use)
{
    bool list = opens_list(p->at) && gt_lexer_accept(&p->at, "(");
    do {
        GT_REFUSE_AT(out->count == most, gt_lexer_place(&p->at), "%s",
                     most == 3 ? "a fourth value; expected one to three"
                               : "a sixth value; expected one to five");
        GT_TRY(gt_read_expression(&out->items[out->count], p, use, false));
        out->count++;
    } while (list ? gt_lexer_accept(&p->at, ",") : accept_comma(&p->at));
    return list ? gt_lexer_expect(&p->at, ")") : GPUTUNE_OK;
}

gputune_status gt_read_extents(const gt_expression *out[3], uint32_t *count, gt_parse *p,
                               unsigned use)
{
    GT_EXPECT(gt_lexer_is(&p->at, "["), &p->at, "'[' and the number of elements");
    while (gt_lexer_accept(&p->at, "[")) {
        GT_REFUSE_AT(*count == 3, gt_lexer_place(&p->at),
                     "a fourth extent; expected one to three, as in x[n * c][h][w]");
        GT_TRY(gt_read_expression(&out[*count], p, use, false));
        ++*count;
        GT_TRY(gt_lexer_expect(&p->at, "]"));
    }
    return GPUTUNE_OK;
}

gputune_status gt_read_value(gt_value *out, gt_parse *p)
{
    char word[GT_NAME_MAX];
    gt_place place = gt_lexer_place(&p->at);
    if (p->at.token.kind != GT_TOKEN_NAME) {
        out->word = NULL;
        return gt_read_constant(&out->number, p);
    }
    GT_TRY(gt_words_read(word, sizeof word, &p->at, "a word or an integer", true));
    const char *blank = strchr(word, '<') ? NULL : strrchr(word, ' ');
    GT_REFUSE_AT(blank && !gt_is_type(blank + 1), place,
                 "'%s' is neither a word nor a number type; expected a comma between words", word);
    gputune_status status = gt_template_word(out, p->template, word);
    return status == GPUTUNE_EINVAL ? gt_fail_at(place, "%s", gt_message()) : status;
}

gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *p)
{
    do {
        gt_value value;
        gt_place place = gt_lexer_place(&p->at);
        GT_TRY(gt_read_value(&value, p));
        for (uint32_t i = 0; i < *count; i++) {
            GT_REFUSE_AT(values[i].number == value.number && !values[i].word == !value.word, place,
                         "value %s is given twice; expected each once", GT_TEXT_OF_VALUE(&value));
        }
        GT_TRY(gt_check_room(*count, most, "values", place));
        values[(*count)++] = value;
    } while (accept_comma(&p->at));
    return GPUTUNE_OK;
}

gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *p, const char *what)
{
    const gt_place place = gt_lexer_place(&p->at);
    char name[GT_NAME_MAX];
    GT_TRY(gt_name_read(name, sizeof name, &p->at, what));
    const int taken = gt_name_index(p->template, name);
    GT_REFUSE_AT(gt_is_type(name) || strcmp(name, "sizeof") == 0, place,
                 "'%s' is a word of the language; expected %s", name, what);
    GT_REFUSE_AT(gt_symbol_is_reserved(name), place,
                 "'%s' is a device property; expected another name", name);
    GT_REFUSE_AT(strncmp(name, "gputune_", 8) == 0 || strncmp(name, "GPUTUNE_", 8) == 0 ||
                     strncmp(name, "__", 2) == 0,
                 place, "names like '%s' are reserved; expected another", name);
    GT_REFUSE_AT(taken >= 0, place,
                 "'%s' is declared twice; expected another name (first on line %d)", name,
                 gt_name_at(p->template, (uint32_t)taken).place.line);
    memcpy(out, name, sizeof name);
    return GPUTUNE_OK;
}

gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *p)
{
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(&p->at);
    (void)gt_lexer_accept_any(&p->at, "struct enum");
    GT_TRY(gt_words_read(name, sizeof name, &p->at, "a type and a name", false));
    const gt_problem_value *value = gt_problem_type(p->template, name);
    const gt_structure *structure = NULL;
    if (!value) {
        GT_TRY(gt_structure_find(&structure, p, name));
    }
    const gt_refused_type *refused = value || structure ? NULL : gt_type_refused(name);
    GT_REFUSE_AT(refused, place, "'%s' is %s; expected %s", name, refused->what, refused->remedy);
    if (!value && !structure && !gt_is_type(name)) {
        gt_near near = gt_near_to(name);
        gt_near_types(&near);
        return gt_fail_at(place, "unknown type '%s'; expected %s", name,
                          gt_near_or(&near,
                                     "a number type, a struct of this file, a problem(type …), "
                                     "unsigned char for a buffer's bytes, or include(\"FILE\") of "
                                     "the header that declares it"));
    }
    for (uint32_t i = 0; value && i < value->count; i++) {
        const char *word = value->values[i].word;
        GT_TRY(gt_structure_find(&structure, p, word));
        GT_REFUSE_AT(
            !structure && !gt_problem_type(p->template, word) && !gt_is_type(word), place,
            "'%s' may be '%s', which has no known size; expected types such as float or int", name,
            word);
    }
    memcpy(out, name, sizeof name);
    return GPUTUNE_OK;
}

bool gt_element_may_be_integer(const gt_template *template, const char *name)
{
    gt_element element;
    const gt_problem_value *value = gt_problem_type(template, name);
    bool may_be = false;
    for (uint32_t i = 0; i < (value ? value->count : 1); i++) {
        may_be |= gt_element_from_name(&element, value ? value->values[i].word : name) &&
                  !gt_type_is_float(element.type);
    }
    return may_be;
}
