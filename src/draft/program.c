/* Finds what gives a value to a name of a program, and which names nothing does. */
#include "draft/program.h"

#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

bool gt_program_is(const gt_program *p, size_t at, const char *words)
{
    return at < p->tokens.count && gt_token_is_any(gt_token_at(p, at), words);
}

static bool is_name(const gt_program *p, size_t at)
{
    return at < p->tokens.count && gt_token_at(p, at)->kind == GT_TOKEN_NAME;
}

bool gt_program_is_name(const gt_program *p, gt_span span)
{
    return span.end == span.first + 1 && is_name(p, span.first);
}

static bool is_same(const gt_program *p, size_t at, const gt_token *name)
{
    return is_name(p, at) && gt_token_equals(gt_token_at(p, at), name);
}

bool gt_program_same(const gt_program *p, size_t a, size_t b)
{
    return gt_token_equals(gt_token_at(p, a), gt_token_at(p, b));
}

bool gt_program_accept(const gt_program *p, gt_span *span, const char *words)
{
    bool is = span->first < span->end && gt_program_is(p, span->first, words);
    span->first += is;
    return is;
}

size_t gt_program_first(const gt_program *p, gt_span span, const char *words)
{
    while (span.first < span.end && !gt_program_is(p, span.first, words)) {
        span.first++;
    }
    return span.first;
}

static const char opening[] = "( [ {", closing[] = ") ] }";

size_t gt_program_close(const gt_program *p, size_t open)
{
    int depth = 0;
    for (; open + 1 < p->tokens.count; open++) {
        depth += gt_program_is(p, open, opening) - gt_program_is(p, open, closing);
        if (depth <= 0) {
            break;
        }
    }
    return open;
}

size_t gt_program_close_angle(const gt_program *p, size_t open)
{
    int depth = 0;
    for (; open < p->tokens.count && !gt_program_is(p, open, "; { }"); open++) {
        depth += gt_token_angles(gt_token_at(p, open));
        if (depth <= 0) {
            break;
        }
    }
    return open;
}

bool gt_program_is_scope(const gt_program *p, size_t brace)
{
    while (gt_program_is(p, brace - 1, "::") || gt_program_is(p, brace - 2, "namespace ::")) {
        brace--;
    }
    return gt_program_is(p, brace - 1, "namespace \"C\"");
}

gt_span gt_program_between(const gt_program *p, const char *from, const char *to)
{
    gt_span span = {0, 0};
    while (span.first < p->own && gt_token_at(p, span.first)->text < from) {
        span.first++;
    }
    for (span.end = span.first; span.end < p->own && gt_token_at(p, span.end)->text < to;) {
        span.end++;
    }
    return span;
}

/* ---- parts ----------------------------------------------------------------------------------- */

bool gt_program_item(const gt_program *p, gt_span *out, gt_span *rest)
{
    size_t at = rest->first;
    if (rest->first >= rest->end) {
        return false;
    }
    for (; at < rest->end && !gt_program_is(p, at, ","); at++) {
        at = gt_program_is(p, at, opening) ? gt_program_close(p, at) : at;
    }
    at = at < rest->end ? at : rest->end;
    *out = (gt_span){rest->first, at};
    rest->first = at + 1;
    return true;
}

bool gt_span_is_empty(gt_span span)
{
    return span.first >= span.end;
}

bool gt_program_item_at(const gt_program *p, gt_span *out, gt_span items, size_t index)
{
    bool found = gt_program_item(p, out, &items);
    for (; found && index > 0; index--) {
        found = gt_program_item(p, out, &items);
    }
    return found;
}

size_t gt_program_cast(const gt_program *p, gt_span span)
{
    static const char casts[] = "static_cast reinterpret_cast const_cast";
    size_t names = 0;
    char words[GT_NAME_MAX];
    if (gt_program_is(p, span.first, casts)) {
        return gt_program_first(p, span, "(") - span.first;
    }
    if (!gt_program_is(p, span.first, "(")) {
        return 0;
    }
    const gt_span type = {span.first + 1, gt_program_close(p, span.first)};
    for (size_t i = type.first; i < type.end; i++) {
        names += is_name(p, i);
        if (!is_name(p, i) && !gt_program_is(p, i, "* ::")) {
            return 0;
        }
    }
    bool is_type = names > 1 || gt_program_is(p, type.end - 1, "*") ||
                   gt_is_type(gt_program_words(words, p, type));
    const size_t behind = type.end + 1;
    bool is_operand = behind < span.end && (gt_token_at(p, behind)->kind != GT_TOKEN_PUNCTUATION ||
                                            gt_program_is(p, behind, "( &"));
    return names && is_type && is_operand ? behind - span.first : 0;
}

gt_span gt_program_strip(const gt_program *p, gt_span span)
{
    for (;;) {
        size_t cast = gt_program_cast(p, span);
        span.first += cast;
        bool encloses = span.first < span.end && gt_program_is(p, span.first, "(") &&
                        gt_program_close(p, span.first) + 1 == span.end;
        if (encloses) {
            span.first++;
            span.end--;
        } else if (cast == 0) {
            return span;
        }
    }
}

gt_span gt_program_statement(const gt_program *p, size_t first)
{
    return (gt_span){first, gt_program_first(p, (gt_span){first, p->code}, ";")};
}

gt_span gt_program_type(const gt_program *p, size_t name)
{
    static const char others[] = "static extern typedef __device__ __constant__";
    for (bool again = true; again && name > 2; name -= again ? 2 : 0) {
        while (gt_program_is(p, name - 1, "__restrict__ __restrict restrict const *")) {
            name--;
        }
        again = gt_program_is(p, name - 1, ",");
    }
    gt_span type = {name, name};
    while (type.first > 0 && is_name(p, type.first - 1) &&
           !gt_program_is(p, type.first - 1, others)) {
        type.first--;
    }
    return type;
}

const char *gt_program_words(char out[GT_NAME_MAX], const gt_program *p, gt_span span)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = span.first; i < span.end && length < GT_NAME_MAX; i++) {
        const gt_token *token = gt_token_at(p, i);
        bool is_part = !gt_program_is(p, i, "struct const");
        length += is_part ? (size_t)gt_snprintf(out + length, GT_NAME_MAX - length, "%s%.*s",
                                                length ? " " : "", (int)token->length, token->text)
                          : 0;
    }
    if (length >= GT_NAME_MAX) {
        out[0] = '\0';
    }
    return out;
}

const gt_program_function *gt_program_function_at(const gt_program *p, size_t at)
{
    for (size_t i = 0; i < p->functions.count; i++) {
        const gt_program_function *function = &p->functions.items[i];
        if (at >= function->parameters.first && at < function->body.end) {
            return function;
        }
    }
    return NULL;
}

gt_site gt_program_site(const gt_program *p, size_t at)
{
    return (gt_site){at, gt_program_function_at(p, at), NULL};
}

const gt_program_function *gt_program_function_of(const gt_program *p, const gt_token *name)
{
    size_t i = 0;
    while (i < p->functions.count && !is_same(p, p->functions.items[i].name, name)) {
        i++;
    }
    return i < p->functions.count ? &p->functions.items[i] : NULL;
}

const gt_macro *gt_program_macro_of(const gt_program *p, const gt_token *name)
{
    const gt_macro *found = NULL;
    for (size_t i = 0; i < p->macros.count; i++) {
        const gt_macro *macro = &p->macros.items[i];
        bool is = is_same(p, macro->name, name);
        found = is && (!found || macro->value.first < macro->value.end) ? macro : found;
    }
    return found;
}

size_t gt_program_parameter(const gt_program *p, gt_span parameters, const gt_token *name,
                            size_t *index)
{
    gt_span item;
    for (*index = 0; gt_program_item(p, &item, &parameters); ++*index) {
        size_t last = 0;
        for (size_t i = item.first; i < item.end && !gt_program_is(p, i, "= ["); i++) {
            last = is_name(p, i) ? i : last;
        }
        if (last && is_same(p, last, name)) {
            return last;
        }
    }
    return 0;
}

/* ---- what gives a value to a name ------------------------------------------------------------ */

/* What stands around a name: from three tokens in front of it to three behind it. */
typedef struct form {
    const char *before[3], *behind[3]; /* NULL: anything; "NAME": a name that is no statement's */
} form;

static bool is_like(const gt_program *p, size_t at, const char *words)
{
    static const char no_types[] = "return else new delete case do goto";
    return !words || (strcmp(words, "NAME") == 0 ? is_name(p, at) && !gt_program_is(p, at, no_types)
                                                 : gt_program_is(p, at, words));
}

static bool has_form(const gt_program *p, size_t at, const form *forms, size_t count)
{
    bool has = false;
    for (size_t f = 0; f < count && !has; f++) {
        has = true;
        for (size_t i = 0; i < 3 && has; i++) {
            has = is_like(p, at + i - 3, forms[f].before[i]) &&
                  is_like(p, at + i + 1, forms[f].behind[i]);
        }
    }
    return has;
}

#define HAS_FORM(p, at, forms) has_form(p, at, forms, sizeof(forms) / sizeof *(forms))

/* Whether a function is defined or declared there. */
static bool is_declaration(const gt_program *p, size_t name)
{
    bool is = is_like(p, name - 1, "NAME");
    for (size_t i = 0; i < p->functions.count && !is; i++) {
        is = p->functions.items[i].name == name;
    }
    return is;
}

bool gt_program_call(const gt_program *p, gt_span *rest, const gt_token *name, size_t *at,
                     gt_span *arguments)
{
    while (gt_program_next(p, rest, name, at)) {
        const gt_span behind = {*at + 1, gt_program_is(p, *at + 1, "<") ? p->code : *at + 1};
        const size_t open = gt_program_first(p, behind, "( ;");
        if (gt_program_is(p, open, "(") && !is_declaration(p, *at)) {
            *arguments = (gt_span){open + 1, gt_program_close(p, open)};
            return true;
        }
    }
    return false;
}

/* The bracket of the call that the token is inside of, and before how many of its arguments' commas
 * that stands; 0: it is inside of none. */
static size_t open_around(const gt_program *p, size_t at, size_t *commas)
{
    int depth = 0;
    for (*commas = 0; at > 1 && depth >= 0 && !gt_program_is(p, at - 1, "; { }");) {
        at--;
        depth += gt_program_is(p, at, closing) - gt_program_is(p, at, opening);
        *commas += depth == 0 && gt_program_is(p, at, ",");
    }
    return gt_program_is(p, at, "(") && depth < 0 ? at : 0;
}

size_t gt_program_open_angle(const gt_program *p, size_t close)
{
    int depth = -gt_token_angles(gt_token_at(p, close));
    while (depth > 0 && close > 0 && !gt_program_is(p, close, ";")) {
        depth -= gt_token_angles(gt_token_at(p, --close));
    }
    return close;
}

bool gt_program_taker(gt_taker *out, const gt_program *p, size_t argument)
{
    size_t index;
    const size_t open = open_around(p, argument, &index), behind = open - (open > 0);
    const size_t name =
        gt_program_is(p, behind, ">") ? gt_program_open_angle(p, behind) - 1 : behind;
    const gt_span arguments = {open + 1, gt_program_close(p, open)};
    gt_span item;
    out->function =
        is_declaration(p, name) ? NULL : gt_program_function_of(p, gt_token_at(p, name));
    if (!open || !gt_program_is(p, argument - 1, "( ,") || !out->function ||
        !gt_program_item_at(p, &item, out->function->parameters, index) || gt_span_is_empty(item)) {
        return false;
    }
    out->parameter = item.end - 1;
    out->call = (gt_bound){out->function->parameters, arguments, gt_program_site(p, name)};
    return true;
}

/* From `first` to the end of a statement or declarator. */
static gt_span value_at(const gt_program *p, size_t first)
{
    gt_span out, rest = gt_program_statement(p, first);
    for (size_t at = first; at < rest.end; at++) {
        rest.end = gt_program_is(p, at, closing) ? at : rest.end;
        at = gt_program_is(p, at, opening) ? gt_program_close(p, at) : at;
    }
    return gt_program_item(p, &out, &rest) ? out : (gt_span){first, first};
}

/* Behind a comma: whether the statement begins with a type, `TYPE a, b`. */
static bool is_declared_further(const gt_program *p, size_t at)
{
    int depth = 0;
    size_t first = at;
    for (; first > 0 && depth >= 0 && !gt_program_is(p, first - 1, "{ } ;"); first--) {
        depth += gt_program_is(p, first - 1, closing) - gt_program_is(p, first - 1, opening);
    }
    first += depth < 0; /* the bracket that is open */
    bool is_loop = gt_program_is(p, first - 1, "(") && gt_program_is(p, first - 2, "for");
    return (depth == 0 || is_loop) && is_like(p, first, "NAME") &&
           (is_name(p, first + 1) || gt_program_is(p, first + 1, "* & <"));
}

/* Whether the token is a name that is declared there, or gets a value: `NAME = v`, `TYPE NAME(v)`.
 */
static bool defines(gt_found *out, const gt_program *p, size_t at)
{
    static const form others[] = {{.before = {NULL, NULL, ". -> ::"}},
                                  {.before = {NULL, "; { } )", "*"}}};
    static const form constructed[] = {{{NULL, NULL, "NAME"}, {"( {"}},
                                       {{NULL, NULL, ">"}, {"( {"}}};
    static const form declared[] = {{{NULL, NULL, "NAME"}, {"; : ,"}},
                                    {{NULL, NULL, ">"}, {"; :"}},
                                    {{"; { } const", "NAME", "*"}, {"; ,"}}};
    if (HAS_FORM(p, at, others)) {
        return false;
    }
    const bool is_further = gt_program_is(p, at - 1, ",") && gt_program_is(p, at + 1, "; , ( {") &&
                            is_declared_further(p, at);
    const bool opens = gt_program_is(p, at + 1, "( {");
    out->identity = at;
    out->is_constructed = HAS_FORM(p, at, constructed) || (is_further && opens);
    out->value.span = out->is_constructed ? (gt_span){at + 2, gt_program_close(p, at + 1)}
                      : gt_program_is(p, at + 1, "=") ? value_at(p, at + 2)
                                                      : (gt_span){0, 0};
    return out->value.span.end > 0 || HAS_FORM(p, at, declared) || is_further;
}

bool gt_program_is_plain(const gt_program *p, gt_span span)
{
    static const char known[] = "sizeof min max ceil ceilf floor floorf round dim3 pow";
    bool is_plain = span.first < span.end;
    for (size_t i = span.first; i < span.end && is_plain; i++) {
        const gt_token *token = gt_token_at(p, i);
        bool is_known = !is_name(p, i) || !gt_program_is(p, i + 1, "(") ||
                        gt_program_is(p, i, known) || gt_is_type(GT_NAME(p, i)) ||
                        gt_program_macro_of(p, token) || gt_program_function_of(p, token);
        is_plain = is_known && !gt_program_is(p, i, "argv argc") && !gt_program_is(p, i + 1, "->");
    }
    return is_plain;
}

/* Of `argc > 1 ? atoi(argv[1]) : 1024`, the half that the program itself says. */
static gt_span plain_half(const gt_program *p, gt_span value)
{
    size_t question = value.end, colon = 0;
    for (size_t i = value.first; i < value.end; i++) {
        i = gt_program_is(p, i, opening) ? gt_program_close(p, i) : i;
        question = question == value.end && gt_program_is(p, i, "?") ? i : question;
        colon = gt_program_is(p, i, ":") ? i : colon;
    }
    const gt_span halves[] = {{colon + 1, value.end}, {question + 1, colon}};
    for (size_t i = 0; i < 2 && colon > question; i++) {
        if (!gt_program_is_plain(p, value) && gt_program_is_plain(p, halves[i])) {
            return halves[i];
        }
    }
    return value;
}

/* Whether the variable, zero at first, gets its value later, up to `end`: fscanf(f, "%d", &n), n++,
 * n += 2. What counts a loop's passes begins with its zero. */
static bool is_filled_later(const gt_program *p, size_t at, size_t end, gt_span value)
{
    static const form fills[] = {
        {.before = {NULL, "( ,", "&"}}, {.before = {NULL, NULL, "++ >>"}}, {.behind = {"++ +="}}};
    bool is_zero = value.end == value.first + 1 && gt_program_is(p, value.first, "0") &&
                   !gt_program_is(p, at - 1, "(") && !gt_program_is(p, at - 2, "(");
    gt_span rest = {value.end, is_zero ? end : 0};
    bool is_filled = false;
    for (size_t i; !is_filled && gt_program_next(p, &rest, gt_token_at(p, at), &i);) {
        is_filled = HAS_FORM(p, i, fills);
    }
    return is_filled;
}

/* The last definition within the span whose value is plain, or the last of all. */
static bool find_within(gt_found *out, const gt_program *p, gt_span span, const gt_token *name)
{
    const size_t end = span.end;
    bool found = false;
    for (size_t i; (i = gt_program_last_named(p, span, name)) < span.end; span.end = i) {
        gt_found one = {0};
        if (!defines(&one, p, i)) {
            continue;
        }
        one.value.site = gt_program_site(p, i);
        one.value.span = plain_half(p, gt_program_strip(p, one.value.span));
        bool is_filled = is_filled_later(p, i, end, one.value.span);
        bool is_plain = is_filled || gt_program_is_plain(p, one.value.span);
        one.value.span = is_filled ? (gt_span){0} : one.value.span;
        *out = !found || is_plain ? one : *out;
        found = true;
        if (is_plain) {
            break;
        }
    }
    return found;
}

/* What calls give to a function's parameter, or its default. */
static void find_argument(gt_closure *out, const gt_program *p, const gt_program_function *function,
                          size_t parameter, size_t index)
{
    gt_span arguments, rest = {1, p->code};
    const gt_token *name = gt_token_at(p, function->name);
    for (size_t at; gt_program_call(p, &rest, name, &at, &arguments);) {
        if (gt_program_item_at(p, &out->span, arguments, index)) {
            out->site = gt_program_site(p, at);
            return;
        }
    }
    out->span = gt_program_is(p, parameter + 1, "=") ? value_at(p, parameter + 2) : (gt_span){0};
    out->site = gt_program_site(p, parameter);
}

/* What calls, NAME<…>(), give to a parameter of a function's template. */
static bool find_template_argument(gt_found *out, const gt_program *p,
                                   const gt_program_function *function, const gt_token *name)
{
    size_t first = function->name, index;
    while (first > 0 && !gt_program_is(p, first, "; } template")) {
        first--;
    }
    const gt_span parameters = {first + 2, gt_program_close_angle(p, first + 1)};
    out->identity =
        gt_program_is(p, first, "template") ? gt_program_parameter(p, parameters, name, &index) : 0;
    const gt_token *own = gt_token_at(p, function->name);
    gt_span rest = {1, out->identity ? p->code : 1};
    for (size_t i; gt_program_next(p, &rest, own, &i);) {
        if (i != function->name && gt_program_is(p, i + 1, "<")) {
            const gt_span given = {i + 2, gt_program_close_angle(p, i + 1)};
            out->value.site = gt_program_site(p, i);
            if (gt_program_item_at(p, &out->value.span, given, index)) {
                return true;
            }
        }
    }
    return false;
}

/* What a function assigns to the parameter that a call within the span gives the variable to. */
static void find_filler(gt_found *out, const gt_program *p, gt_span span, const gt_token *name)
{
    for (size_t i; gt_program_next(p, &span, name, &i);) {
        gt_taker taker;
        gt_found filled;
        if (gt_program_is(p, i + 1, ", )") &&
            gt_program_taker(&taker, p, i - gt_program_is(p, i - 1, "&")) &&
            find_within(&filled, p, taker.function->body, gt_token_at(p, taker.parameter))) {
            out->value = filled.value;
        }
    }
}

bool gt_program_find(gt_found *out, const gt_program *p, const gt_site *site, size_t at)
{
    const gt_token *name = gt_token_at(p, at);
    const gt_program_function *function = site->function;
    const gt_span all = {0, p->code};
    size_t index;
    *out = (gt_found){0};
    if (site->bound) {
        out->identity = gt_program_parameter(p, site->bound->parameters, name, &index);
        out->value.site = site->bound->caller;
        if (out->identity &&
            gt_program_item_at(p, &out->value.span, site->bound->arguments, index)) {
            return true;
        }
        *out = (gt_found){0};
    }
    if (function) {
        const gt_span before = {function->body.first, site->at};
        const size_t parameter = gt_program_parameter(p, function->parameters, name, &index);
        bool found = find_within(out, p, before, name);
        if (found || parameter) {
            /* one for a variable: where its function, or the text, has its name first */
            out->identity = parameter ? parameter : gt_program_named(p, before, name);
            if (!found) {
                find_argument(&out->value, p, function, parameter, index);
            } else if (gt_span_is_empty(out->value.span)) {
                find_filler(out, p, before, name);
            }
            return true;
        }
        if (find_template_argument(out, p, function, name)) {
            return true;
        }
    }
    out->macro = gt_program_macro_of(p, name);
    if (out->macro) {
        out->identity = out->macro->name;
        out->value = (gt_closure){out->macro->value, *site};
        return true;
    }
    bool found = find_within(out, p, all, name);
    out->identity = gt_program_named(p, all, name);
    return found;
}

bool gt_program_follow(gt_found *found, const gt_program *p, gt_closure *value)
{
    value->span = gt_program_strip(p, value->span);
    if (!gt_program_is_name(p, value->span) ||
        !gt_program_find(found, p, &value->site, value->span.first)) {
        *found = (gt_found){0};
        return false;
    }
    const bool is_known = !gt_span_is_empty(found->value.span);
    *value = is_known ? found->value : *value;
    return is_known;
}

/* ---- names that nothing defines -------------------------------------------------------------- */

/* Words of the language, and what CUDA's headers have without a call. */
static const char words[] =
    "alignas asm auto bool break case char class const constexpr continue decltype default delete "
    "do double else enum extern false float for goto if inline int long namespace new nullptr "
    "operator register return short signed sizeof static struct switch template this true typedef "
    "typename union unsigned using void volatile while threadIdx blockIdx blockDim gridDim "
    "warpSize NULL INFINITY NAN restrict stdout stderr dim3 cudaTextureObject_t";

/* Whether the token is a word of the language, or a name that CUDA's headers declare. */
static bool is_word(const gt_program *p, size_t at)
{
    static const char *const prefixes[] = {"__",   "M_",    "FLT_", "DBL_",    "CUDART_",
                                           "INT_", "UINT_", "cuda", "gputune", "GPUTUNE"};
    const char *name = GT_NAME(p, at);
    const size_t length = strlen(name);
    bool is = gt_program_is(p, at, words) || gt_is_type(name) ||
              (length > 2 && strcmp(name + length - 2, "_t") == 0);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        is |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return is;
}

/* Whether that occurrence may declare the name, or the name is a type's or a label's. */
static bool may_declare(const gt_program *p, size_t at)
{
#define STARTS "; { } const static unsigned"
#define PARTS  "; = [ : {"
    static const form forms[] = {{{NULL, NULL, "NAME"}, {PARTS " , ) ("}},
                                 {{NULL, NULL, STARTS}, {"*", "NAME", PARTS " ,"}},
                                 {{NULL, NULL, ","}, {PARTS}},
                                 {{STARTS, "NAME", "* & &&"}, {PARTS " ,"}},
                                 {{NULL, NULL, ">"}, {PARTS " ,"}},
                                 {.before = {"namespace"}},
                                 {.before = {NULL, NULL, "goto"}},
                                 {.behind = {":: <"}}};
    return is_name(p, at + 1) || HAS_FORM(p, at, forms) ||
           (gt_program_is(p, at - 1, ",") && is_declared_further(p, at));
}

/* Whether the name is what a macro is given to declare: NAME in `LOOP(NAME, n) …` of
 * `#define LOOP(i, n) for (int i = 0; …)`. */
static bool is_declared_by_macro(const gt_program *p, size_t at)
{
    size_t index;
    gt_span parameter;
    const size_t open = open_around(p, at, &index);
    const gt_macro *macro = open ? gt_program_macro_of(p, gt_token_at(p, open - 1)) : NULL;
    bool is = false;
    if (macro && macro->takes_arguments &&
        gt_program_item_at(p, &parameter, macro->parameters, index)) {
        for (size_t i = macro->value.first; i < macro->value.end && !is; i++) {
            is = gt_program_same(p, i, parameter.first) && may_declare(p, i);
        }
    }
    return is;
}

bool gt_program_is_undefined(const gt_program *p, size_t at)
{
    const gt_token *name = gt_token_at(p, at);
    return is_name(p, at) && !is_word(p, at) && !gt_program_macro_of(p, name) &&
           !gt_program_function_of(p, name) && !gt_program_is(p, at - 1, ". -> ::") &&
           !gt_program_is(p, at + 1, "(") && !gt_program_is_told(p, name);
}

bool gt_program_is_told(const gt_program *p, const gt_token *name)
{
    gt_span rest = {1, p->tokens.count};
    bool is_told = false;
    for (size_t i; !is_told && gt_program_next(p, &rest, name, &i);) {
        is_told = (gt_program_is(p, i - 1, "}") && gt_program_is(p, i + 1, "; ,")) ||
                  gt_program_is(p, i + 1, "[ . ->") || /* no number that a tuner defines */
                  (i >= p->code && gt_program_is(p, i + 1, "=")) || /* a macro's local */
                  may_declare(p, i) ||
                  (gt_program_is(p, i - 1, "( ,") && is_declared_by_macro(p, i));
    }
    for (size_t i = 0; i < p->functions.count && !is_told; i++) {
        const gt_span span = p->functions.items[i].parameters;
        for (size_t k = span.first; k < span.end && !is_told; k++) {
            k = gt_program_is(p, k, "[") ? gt_program_close(p, k) : k;
            is_told = is_same(p, k, name);
        }
    }
    for (size_t i = 0, index; i < p->macros.count && !is_told; i++) {
        is_told = p->macros.items[i].takes_arguments &&
                  gt_program_parameter(p, p->macros.items[i].parameters, name, &index);
    }
    return is_told;
}
