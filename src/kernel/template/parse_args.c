/* Parses the clauses args, scratch, prove, clear, races and in_place. */
#include "kernel/template/parse.h"
#include "kernel/template/structure.h"
#include "kernel/text/types.h"

#include <string.h>

/* If an argument is named like grid.x, finds the struct `grid` and checks its pointer `x`. */
static gputune_status find_holder(gt_argument *argument, const gt_parse *p)
{
    const gt_template *template = p->template;
    const gt_structure_member *member = NULL;
    const char *dot = strchr(argument->name, '.');
    const char *type = argument->pointee[0] ? argument->pointee : argument->type;
    gt_element given, pointed;
    for (uint32_t i = 0; i < template->taken_count && dot; i++) {
        const gt_argument *one = &template->arguments[i];
        if (!one->is_buffer && strlen(one->name) == (size_t)(dot - argument->name) &&
            strncmp(one->name, argument->name, strlen(one->name)) == 0) {
            member = gt_structure_pointer(template, one->type, dot + 1);
            argument->holder = i + 1;
        }
    }
    GT_REFUSE_AT(dot && !member, argument->place,
                 "'%s' is not a pointer in a struct; expected a pointer member of an argument "
                 "before it, as x of 'Grid g' in 'in float g.x[n]'",
                 argument->name);
    return member && gt_element_from_name(&given, type) &&
                   gt_element_from_name(&pointed, member->type) && given.bytes != pointed.bytes
               ? gt_fail_at(argument->place, "'%s' points to %s; expected that as its type",
                            argument->name, member->type)
               : GPUTUNE_OK;
}

/* Reads `NAME`. If a struct points to the buffer, reads `NAME.MEMBER`. */
static gputune_status read_name(gt_argument *argument, gt_parse *p)
{
    const gt_template *template = p->template;
    argument->place = gt_lexer_place(&p->at);
    GT_TRY(gt_argument_name_read(argument->name, &p->at, "an argument's name"));
    GT_TRY(find_holder(argument, p));
    GT_REFUSE_AT(
        template->argument_count > template->taken_count && !argument->holder, argument->place,
        "parameter '%s' is after '%s', which a struct points to; expected all parameters first",
        argument->name, template->arguments[template->taken_count].name);
    return GPUTUNE_OK;
}

static gputune_status check_name(gt_parse *p, const char *name, gt_place place)
{
    const gt_template *template = p->template;
    const gt_argument *first = gt_parse_parameter(p, name);
    GT_REFUSE_AT(first, place, "'%s' is declared twice; expected another name (first on line %d)",
                 name, first->place.line);
    GT_REFUSE_AT(
        gt_template_axis_index(template, name) >= 0, place,
        "'%s' is a tunable, which would replace the argument's name; expected another name", name);
    return GPUTUNE_OK;
}

static gputune_status check_fill(const gt_parse *p, const gt_argument *argument)
{
    const gt_fill *fill = &argument->fill;
    bool integers = gt_element_may_be_integer(p->template, argument->type);
    GT_REFUSE_AT(fill->kind == GT_FILL_EXPRESSION && integers && fill->low->is_real, fill->place,
                 "'%s' is floating-point, but '%s' has integers; expected an integer expression",
                 fill->low->text, argument->name);
    GT_REFUSE_AT(argument->direction == GT_OUT && gt_fill_is_sent(fill->kind), fill->place,
                 "'%s' is an output, which cannot have a fill; expected in or inout",
                 argument->name);
    return GPUTUNE_OK;
}

static gputune_status read_buffer(gt_argument *argument, gt_parse *p)
{
    GT_REFUSE_AT(gt_template_problem_index(p->template, argument->name) >= 0, argument->place,
                 "buffer '%s' has the name of a problem value; expected another name",
                 argument->name);
    GT_TRY(gt_read_extents(argument->extents, &argument->extent_count, p, GT_USE_PROBLEM));
    GT_TRY(gt_read_contents(argument, p, "=", argument->place));
    GT_TRY(check_fill(p, argument));
    for (int word; (word = gt_lexer_accept_any(&p->at, "nan_ok finite")) >= 0;) {
        argument->nan_ok |= word == 0;
        argument->finite |= word == 1;
    }
    return GPUTUNE_OK;
}

static gputune_status read_scalar(gt_argument *argument, gt_parse *p)
{
    int named = gt_template_problem_index(p->template, argument->name);
    GT_REFUSE_AT(gt_lexer_is(&p->at, "["), argument->place,
                 "buffer '%s' has no direction; expected in, out or inout before its type",
                 argument->name);
    if (named >= 0 && !gt_problem_type(p->template, argument->name)) {
        GT_REFUSE_AT(
            gt_lexer_is(&p->at, "="), argument->place,
            "scalar '%s' gets its value from the problem value of that name; expected only '%s %s'",
            argument->name, argument->type, argument->name);
        return GPUTUNE_OK;
    }
    if (!gt_lexer_is(&p->at, "=")) {
        if (gt_structure_of(p->template, argument->type)) {
            return GPUTUNE_OK; /* members get the problem values of the same name */
        }
        return gt_fail_at(
            argument->place,
            "scalar '%s' has no value; expected '= value', or the name of a problem value",
            argument->name);
    }
    GT_TRY(gt_read_initialisers(&argument->initialisers, p, "=", false));
    if (argument->initialisers.items) {
        return GPUTUNE_OK;
    }
    argument->initialisers.single = true;
    gt_lexer_next(&p->at);
    return gt_read_expression(&argument->value, p, GT_USE_PROBLEM,
                              !gt_element_may_be_integer(p->template, argument->type));
}

static void count_argument(gt_template *template, const gt_argument *argument)
{
    template->parameter_count = ++template->argument_count;
    template->taken_count += !argument->holder;
}

/* Reads the rest of `TYPE *NAME = null`. Makes the argument a uint64_t that is 0 in all proofs. */
static gputune_status read_null(gt_argument *argument, gt_parse *p)
{
    memcpy(argument->pointee, argument->type, sizeof argument->pointee);
    memcpy(argument->type, "uint64_t", sizeof "uint64_t");
    argument->is_buffer = false;
    argument->direction = GT_IN;
    GT_TRY(read_name(argument, p));
    GT_TRY(check_name(p, argument->name, argument->place));
    count_argument(p->template, argument);
    GT_REFUSE_AT(!gt_lexer_accept(&p->at, "=") ||
                     gt_lexer_accept_any(&p->at, "null nullptr NULL") < 0,
                 argument->place,
                 "pointer '%s' has no extent; expected 'in %s %s[n]', or '= null' if the kernel "
                 "gets no buffer",
                 argument->name, argument->pointee, argument->name);
    argument->initialisers.single = true;
    argument->proved_count = 1; /* the proof must not change the null pointer */
    return gt_read_text(&argument->value, p, "0", 1, argument->place, 0);
}

static gputune_status read_argument(gt_parse *p)
{
    gt_template *template = p->template;
    gt_argument *argument = &template->arguments[template->argument_count];
    bool constant = gt_lexer_accept(&p->at, "const");
    const int direction =
        gt_lexer_accept_any(&p->at, "in out inout"); /* same order as in gt_direction */
    argument->is_buffer = direction >= 0;
    argument->direction = direction < 0 ? GT_IN : (gt_direction)direction;
    constant |= gt_lexer_accept(&p->at, "const");
    GT_EXPECT(!constant || argument->direction == GT_IN, &p->at, "no const before an output");
    gt_lexer ahead = p->at;
    if (gt_lexer_accept(&ahead, "void") && gt_lexer_is(&ahead, "*")) {
        memcpy(argument->type, "void", sizeof "void");
        p->at = ahead;
    } else {
        GT_TRY(gt_read_element_type(argument->type, p));
    }
    if (gt_lexer_accept(&p->at, "*")) {
        return read_null(argument, p);
    }
    GT_TRY(read_name(argument, p));
    GT_TRY(check_name(p, argument->name, argument->place));
    count_argument(template, argument);
    return argument->is_buffer ? read_buffer(argument, p) : read_scalar(argument, p);
}

gputune_status gt_parse_args(gt_parse *p)
{
    gt_template *template = p->template;
    if (!template->arguments) {
        template->arguments = calloc(GT_PARAMETER_MAX, sizeof *template->arguments);
        GT_TRY(gt_keep(p->parts, template->arguments));
    }
    GT_TRY(gt_check_room(template->argument_count, GT_PARAMETER_MAX - GT_SCRATCH_MAX - 1,
                         "arguments", p->clause->place));
    return read_argument(p);
}

gputune_status gt_parse_scratch(gt_parse *p)
{
    gt_template *template = p->template;
    gt_argument *scratch = &template->arguments[template->parameter_count];
    GT_TRY(gt_check_room(template->parameter_count - template->argument_count, GT_SCRATCH_MAX,
                         "scratch buffers", p->clause->place));
    scratch->is_buffer = true;
    scratch->direction = GT_INOUT;
    GT_TRY(gt_read_element_type(scratch->type, p));
    scratch->place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(scratch->name, sizeof scratch->name, &p->at, "a scratch buffer's name"));
    GT_TRY(check_name(p, scratch->name, scratch->place));
    template->parameter_count++;
    GT_TRY(gt_read_extents(scratch->extents, &scratch->extent_count, p,
                           GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_BLOCK | GT_USE_OCCUPANCY |
                               GT_USE_GRID));
    bool stated = gt_lexer_accept(&p->at, "=");
    GT_EXPECT(!stated || gt_lexer_accept(&p->at, "zero"), &p->at, "zero, the only fill of scratch");
    scratch->fill.kind = stated ? GT_FILL_ZERO : GT_FILL_UNIFORM;
    return GPUTUNE_OK;
}

static gputune_status read_others(gt_proved *out, gt_parse *p, bool integers)
{
    do {
        GT_REFUSE_AT(out->other_count == GT_OTHER_MAX, out->place,
                     "more than %d values in prove(); expected fewer", GT_OTHER_MAX);
        const gt_expression **value = &out->others[out->other_count];
        GT_TRY(gt_read_expression(value, p, GT_USE_PROBLEM, !integers));
        out->other_count++;
    } while (gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}

gputune_status gt_parse_prove(gt_parse *p)
{
    char name[GT_NAME_MAX];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_argument_name_read(name, &p->at, "a scalar's name"));
    char *dot = strchr(name, '.'), *path = dot ? dot + 1 : name + strlen(name);
    if (dot) {
        *dot = '\0';
    }
    gt_argument *argument = gt_parse_parameter(p, name);
    GT_REFUSE_AT(!argument || argument->is_buffer, place, "no scalar '%s'; expected one of args()",
                 name);
    GT_REFUSE_AT(gt_template_problem_index(p->template, name) >= 0, place,
                 "'%s' gets its value from the problem value of that name; expected another scalar",
                 name);
    GT_REFUSE_AT(GT_NAMED(argument->proved, argument->proved_count, path) >= 0, place,
                 "'%s%s%s' is given twice; expected each scalar once", name, dot ? "." : "", path);
    GT_TRY(gt_check_room(argument->proved_count, GT_PROVED_MAX, "members in prove()", place));
    gt_proved *proved = &argument->proved[argument->proved_count++];
    memcpy(proved->path, path, strlen(path) + 1);
    proved->place = place;
    if (!gt_lexer_accept(&p->at, "=")) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(!dot && !argument->value, place,
                 "'%s' has several numbers; expected prove(%s), which fixes them, or "
                 "prove(%s.MEMBER = e)",
                 name, name, name);
    return read_others(proved, p, !dot && gt_element_may_be_integer(p->template, argument->type));
}

/* Reads the name of a buffer that the kernel writes, and sets the flag of the clause. */
gputune_status gt_parse_written(gt_parse *p)
{
    uint32_t index;
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_buffer(&index, p, GT_BUFFER_WRITTEN, "a buffer's name",
                          "written by the kernel; expected an out, inout or scratch buffer"));
    gt_argument *buffer = &p->template->arguments[index];
    bool *is_named = (bool *)((char *)buffer + p->member);
    GT_REFUSE_AT(*is_named, place, "'%s' is given twice; expected each buffer once", buffer->name);
    *is_named = true;
    return GPUTUNE_OK;
}

gputune_status gt_parse_in_place(gt_parse *p)
{
    gt_template *template = p->template;
    uint32_t output, input;
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_buffer(&output, p, 1 << GT_OUT, "a buffer's name",
                          "an 'out' buffer of args(); expected in_place(OUT : IN)"));
    GT_REFUSE_AT(template->arguments[output].cleared, place,
                 "clear() would zero '%s' before each launch, and with it the input in the same "
                 "buffer; expected an output that is not cleared",
                 template->arguments[output].name);
    GT_TRY(gt_lexer_expect(&p->at, ":"));
    GT_TRY(gt_read_buffer(&input, p, 1 << GT_IN, "a buffer's name",
                          "an 'in' buffer of args(); expected in_place(OUT : IN)"));
    for (uint32_t i = 0; i < template->argument_count; i++) {
        /* one launch tests all pairs together, so a buffer may be in only one of them */
        const gt_argument *argument = &template->arguments[i];
        bool is_taken = argument->in_place && (i == output || argument->in_place == input + 1);
        GT_REFUSE_AT(is_taken, place, "'%s' is given twice; expected each buffer once",
                     template->arguments[i == output ? output : input].name);
    }
    template->arguments[output].in_place = input + 1;
    return GPUTUNE_OK;
}
