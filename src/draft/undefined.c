/* Finds the names that neither a program nor CUDA gives a meaning to. */
#include "draft/program.h"

#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

static bool is_name_at(const gt_program *program, size_t at)
{
    return at < program->tokens.count && program->tokens.items[at].kind == GT_TOKEN_NAME;
}

static bool is_token(const gt_program *program, size_t at, const gt_token *name)
{
    return gt_token_equals(&program->tokens.items[at], name);
}

static const char opening[] = "( [ {", closing[] = ") ] }";
static const char no_types[] = "return else new delete case do goto";

/* Words of the language, and what CUDA's headers have without a call. */
static const char words[] =
    "alignas asm auto bool break case char class const constexpr continue decltype default delete "
    "do double else enum extern false float for goto if inline int long namespace new nullptr "
    "operator register return short signed sizeof static struct switch template this true typedef "
    "typename union unsigned using void volatile while threadIdx blockIdx blockDim gridDim "
    "warpSize NULL INFINITY NAN restrict stdout stderr dim3 cudaTextureObject_t";

static bool is_known_word(const gt_token *token)
{
    static const char *const prefixes[] = {"__",   "M_",    "FLT_", "DBL_",    "CUDART_",
                                           "INT_", "UINT_", "cuda", "gputune", "GPUTUNE"};
    char name[GT_NAME_MAX];
    gt_element element;
    (void)gt_snprintf(name, sizeof name, "%.*s", (int)token->length, token->text);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return gt_token_is_any(token, words) || gt_element_from_name(&element, name) ||
           (token->length > 2 && strcmp(name + token->length - 2, "_t") == 0);
}

/* Behind a comma: whether the statement begins with a type, `TYPE a, b`. */
static bool is_declared_further(const gt_program *program, size_t at)
{
    int depth = 0;
    size_t first = at;
    for (; first > 0; first--) {
        bool opens = gt_program_is_any(program, first - 1, opening);
        bool is_brace = gt_program_is_any(program, first - 1, "{ }");
        depth += is_brace ? 0 : gt_program_is_any(program, first - 1, closing) - opens;
        if (is_brace || gt_program_is(program, first - 1, ";") || depth < 0) {
            break;
        }
    }
    bool is_loop = first > 1 && gt_program_is(program, first - 1, "(") &&
                   gt_program_is(program, first - 2, "for");
    bool is_statement = depth == 0 || is_loop;
    return is_statement && is_name_at(program, first) &&
           !gt_program_is_any(program, first, no_types) &&
           (is_name_at(program, first + 1) || gt_program_is_any(program, first + 1, "* & <"));
}

/* Whether that occurrence may declare the name, or the name is a type's or a label's. */
static bool may_declare(const gt_program *program, size_t at)
{
    static const char starts[] = "; { } const static unsigned";
    static const char behind[] = "; = [ , : ) { (";
    static const char parts[] = "; = [ , : {";
    bool is_typed =
        at > 0 && is_name_at(program, at - 1) && !gt_program_is_any(program, at - 1, no_types);
    bool is_type =
        is_name_at(program, at + 1) ||
        (gt_program_is(program, at + 1, "*") && is_name_at(program, at + 2) &&
         gt_program_is_any(program, at - 1, starts) && gt_program_is_any(program, at + 3, parts));
    bool is_further = at > 1 && gt_program_is(program, at - 1, ",") &&
                      gt_program_is_any(program, at + 1, parts) &&
                      !gt_program_is(program, at + 1, ",");
    bool is_pointer = at > 2 && gt_program_is_any(program, at - 1, "* & &&") &&
                      is_name_at(program, at - 2) && gt_program_is_any(program, at - 3, starts) &&
                      gt_program_is_any(program, at + 1, parts);
    bool is_instance =
        gt_program_is(program, at - 1, ">") && gt_program_is_any(program, at + 1, parts);
    bool is_renamed = at > 2 && gt_program_is(program, at - 3, "namespace");
    is_further |= at > 1 && gt_program_is(program, at - 1, ",") && is_declared_further(program, at);
    return (is_typed && gt_program_is_any(program, at + 1, behind)) || is_type || is_further ||
           is_pointer || is_instance || is_renamed || gt_program_is_any(program, at + 1, ":: <");
}

bool gt_program_is_undefined(const gt_program *program, size_t at)
{
    const gt_token *name = &program->tokens.items[at];
    if (name->kind != GT_TOKEN_NAME || is_known_word(name) || gt_program_macro_of(program, name) ||
        gt_program_function_of(program, name) ||
        (at > 0 && gt_program_is_any(program, at - 1, ". -> ::")) ||
        gt_program_is(program, at + 1, "(")) {
        return false;
    }
    return !gt_program_is_told(program, name);
}

bool gt_program_is_told(const gt_program *program, const gt_token *name)
{
    for (size_t i = 1; i < program->tokens.count; i++) {
        bool is_named_type =
            gt_program_is(program, i - 1, "}") && gt_program_is_any(program, i + 1, "; ,");
        bool is_local = i >= program->code && gt_program_is(program, i + 1, "="); /* of a macro */
        if (is_token(program, i, name) && (is_named_type || is_local || may_declare(program, i))) {
            return true;
        }
    }
    for (size_t i = 0; i < program->functions.count; i++) {
        gt_span span = program->functions.items[i].parameters;
        for (size_t k = span.first; k < span.end; k++) {
            if (gt_program_is(program, k, "[")) {
                k = gt_program_close(program, k);
            } else if (is_token(program, k, name)) {
                return true;
            }
        }
    }
    for (size_t i = 0; i < program->macros.count; i++) {
        size_t index;
        if (program->macros.items[i].takes_arguments &&
            gt_program_parameter(program, program->macros.items[i].parameters, name, &index)) {
            return true;
        }
    }
    return false;
}
