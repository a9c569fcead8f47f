/* Reads a kernel's body in one pass: what is defined, compared and accessed, and what shared arrays
 * tell. No C++ parser: what it does not understand is not known. */
#include "draft/trace.h"

#include <math.h>
#include <string.h>

/* The pass, at a token. */
typedef struct walk {
    gt_draft *draft;
    const gt_program *program;
    gt_span rest;                  /* from the token on */
    size_t atomic, reader, writer; /* operands of functions that change, load or store those */
    size_t aliased;                /* a buffer that an alias is defined by */
    struct {                       /* an element that a macro reads or writes as a vector's first */
        size_t at;
        double bytes;
        struct use {
            bool read, write;
        } how;
    } wide;
    char type[GT_NAME_MAX]; /* the last name of the statement that may be a type */
} walk;

static bool is(const walk *w, size_t at, const char *words)
{
    return gt_program_is(w->program, at, words);
}

static gt_span behind(const walk *w, size_t at)
{
    return (gt_span){at, w->rest.end};
}

/* ---- shared arrays ---- */

static void read_shared(walk *w, size_t at)
{
    gt_draft *draft = w->draft;
    gt_draft_shared shared = {.is_dynamic = is(w, at - 1, "extern")};
    gt_span rest = behind(w, at + 1), item;
    while (gt_program_accept(w->program, &rest, "__align__ alignas")) {
        gt_draft_skip_brackets(draft, &rest);
    }
    const gt_span names = {rest.first, gt_program_first(w->program, rest, "[ ; , =")};
    gt_program_words(shared.type, w->program, (gt_span){names.first, names.end - 1});
    rest = gt_program_statement(w->program, names.end - 1);
    while (names.end > names.first + 1 && gt_program_item(w->program, &item, &rest)) {
        shared.count = 0;
        gt_token_name(shared.name, gt_token_at(w->program, item.first++));
        while (gt_program_accept(w->program, &item, "[")) {
            shared.extents[shared.count < 3 ? shared.count++ : 2] =
                gt_draft_expand(draft, gt_draft_read_sum(draft, &item), false);
            (void)gt_program_accept(w->program, &item, "]");
        }
        draft->failed |= gt_array_push(&draft->shared, shared) != GPUTUNE_OK;
    }
}

/* A dynamic array is as long as its largest index asks for. */
static void note_length(gt_draft *draft, gt_draft_shared *shared, gt_sum index)
{
    const gt_sum most = gt_sum_plus(gt_draft_maximum(draft, index), 1);
    if (most.known && gt_draft_evaluate(draft, &most) >
                          (shared->length.known ? gt_draft_evaluate(draft, &shared->length) : 0)) {
        shared->length = most;
    }
}

/* Whether threads of another dimension have other elements, too: rows of a flat array. */
static bool has_rows(const gt_sum *index, int d)
{
    return gt_sum_has(index, GT_DRAFT_THREAD + (d + 1) % 3) ||
           gt_sum_has(index, GT_DRAFT_THREAD + (d + 2) % 3);
}

/* What a thread's index in an extent says about the block: that all of it fits, unless a comparison
 * lets only some of its threads that far. */
static void note_extent(gt_draft *draft, int d, const gt_sum *extent, const gt_sum *index)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    const gt_sum most = gt_draft_maximum(draft, *index);
    const gt_sum threads = gt_sum_factor(most, GT_DRAFT_BLOCK_DIM + d);
    double number, times;
    if (gt_sum_is_number(extent, &number) && number > 0) {
        bool is_whole = gt_sum_is_number(&threads, &times) && times >= 1;
        bool is_less = !is_whole || (dimension->limit > 0 && dimension->limit < number);
        dimension->limit = is_less ? dimension->limit : number;
    } else if (!dimension->fixed.known && extent->count == 1 &&
               gt_draft_evaluate(draft, extent) <= 1024 && !gt_draft_fix_by_loop(draft, d, index)) {
        dimension->fixed = *extent;
    }
}

static void read_shared_access(walk *w, gt_draft_shared *shared, gt_span rest)
{
    gt_draft *draft = w->draft;
    bool whole = true;
    for (uint32_t k = 0; k < shared->count && whole && gt_program_accept(w->program, &rest, "[");
         k++) {
        const gt_sum index = gt_draft_read_sum(draft, &rest);
        const gt_sum plain = gt_draft_expand(draft, index, false);
        double times;
        if (shared->is_dynamic) {
            note_length(draft, shared, index);
        }
        for (int d = 0; d < 3 && plain.known; d++) {
            const gt_sum factor = gt_sum_factor(plain, GT_DRAFT_THREAD + d);
            if (gt_sum_is_number(&factor, &times) && times >= 1 && times <= 1 &&
                !has_rows(&plain, d)) {
                note_extent(draft, d, &shared->extents[k], &index);
            }
        }
        whole = gt_program_accept(w->program, &rest, "]");
    }
}

/* ---- accesses ---- */

static const char changing[] = "+= -= *= /= %= &= |= ^= <<= >>= ++ --";

/* Whether an operand ends with the token, so that a following * or & is binary. */
static bool ends_operand(const walk *w, size_t at)
{
    const gt_token_kind kind = w->program->tokens.items[at].kind;
    return (kind == GT_TOKEN_NAME && !is(w, at, "return")) || kind == GT_TOKEN_NUMBER ||
           is(w, at, ") ]");
}

typedef struct use use;

/* How what ends in front of `rest` is used: the members and elements behind it belong to it. */
static use use_at(const walk *w, gt_span rest, size_t prefix)
{
    while (is(w, rest.first, ". -> [")) {
        if (is(w, rest.first, "[")) {
            gt_draft_skip_brackets(w->draft, &rest);
        } else {
            rest.first += 2;
        }
    }
    bool is_address = is(w, prefix, "&") && !ends_operand(w, prefix - 1);
    bool is_set = is(w, rest.first, "=");
    bool changes = is(w, rest.first, changing) || is(w, prefix, "++ --") || is_address;
    return changes ? (use){true, true} : (use){!is_set, is_set};
}

static void note_use(gt_draft_argument *buffer, use how)
{
    buffer->is_read |= how.read;
    buffer->is_written |= how.write && !buffer->declared.is_const;
}

static double bytes_of(const walk *w, const char *type)
{
    char words[GT_NAME_MAX];
    memcpy(words, type, sizeof words);
    return (double)gt_trace_bytes(w->program, words);
}

/* How many of the buffer's elements the bytes hold; 1: it is not known, or less than one. */
static double elements_in(const walk *w, const gt_draft_argument *buffer, double bytes)
{
    const double own = bytes_of(w, buffer->declared.words);
    return own > 0 && bytes > own ? bytes / own : 1;
}

/* So many elements at once, from the index on: a whole number of them. */
static void note_access(walk *w, gt_draft_argument *buffer, gt_sum index, double lanes)
{
    gt_draft *draft = w->draft;
    const gt_sum most = gt_draft_maximum(draft, index);
    double first = 0;
    for (uint32_t i = 0; i < most.count; i++) {
        first = most.terms[i].count == 0 ? most.terms[i].coefficient : first;
    }
    const gt_sum size = gt_sum_plus(most, lanes - (first - lanes * floor(first / lanes)));
    const gt_draft_access access = {buffer, index, size};
    draft->failed |= gt_array_push(&draft->accesses, access) != GPUTUNE_OK;
    buffer->lanes = fmax(buffer->lanes, lanes);
}

/* A pointer's cast around an operand, and the element that is taken behind it: `*(float4 *)&p[i]`,
 * `reinterpret_cast<float4 *>(p)[i]`. */
typedef struct cast {
    double bytes; /* of that element; 0: there is none */
    gt_span all, index;
} cast;

/* Whether brackets enclose the span, which then has them too. */
static bool take_brackets(const walk *w, gt_span *span)
{
    const bool encloses = is(w, span->first - 1, "(") && is(w, span->end, ")");
    span->first -= encloses;
    span->end += encloses;
    return encloses;
}

static cast read_cast(const walk *w, gt_span operand)
{
    cast out = {.all = operand};
    gt_span *all = &out.all;
    while (is(w, all->first - 1, "&") ? all->first-- > 0 : take_brackets(w, all)) {
    }
    const size_t close = all->first - 1;
    if (!is(w, close, ") >") || !is(w, close - 1, "*")) {
        return out;
    }
    const char *type = GT_NAME(w->program, close - 2);
    for (all->first = close; !is(w, all->first, "reinterpret_cast ( ; { }");) {
        all->first--;
    }
    while (take_brackets(w, all)) {
    }
    if (is(w, all->end, "[")) {
        out.index = (gt_span){all->end + 1, gt_program_close(w->program, all->end)};
        all->end = out.index.end + 1;
        out.bytes = bytes_of(w, type);
    } else if (is(w, all->first - 1, "*") && !ends_operand(w, all->first - 2)) {
        all->first--;
        out.bytes = bytes_of(w, type);
    }
    return out;
}

/* tex1Dfetch<TYPE>(NAME, index), with the span behind the name. */
static void read_texture(walk *w, gt_draft_argument *buffer, gt_span rest)
{
    note_use(buffer, (use){.read = true});
    if (buffer->texture == 1 && gt_program_accept(w->program, &rest, ",")) {
        note_access(w, buffer, gt_draft_read_sum(w->draft, &rest), 1);
    }
}

/* Whether an atomic function gives a part of the sum. */
static bool has_drawn(const gt_draft *draft, const gt_sum *sum)
{
    gt_powers at = {0};
    bool has = false;
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        has |= gt_draft_symbol_at(draft, power->symbol)->is_drawn;
    }
    return has;
}

/* At a buffer's or alias's name. */
static void read_buffer(walk *w, gt_draft_argument *buffer, const gt_draft_alias *alias)
{
    gt_draft *draft = w->draft;
    const size_t at = w->rest.first, own = gt_draft_operand(draft, at);
    const size_t before = own - 1, further = own - 2;
    const bool has_index = is(w, at + 1, "[");
    const gt_span operand = {own, has_index ? gt_program_close(w->program, at + 1) + 1 : at + 1};
    gt_span rest = behind(w, at + 1), inside = {at + 2, operand.end - 1};
    double lanes = alias ? alias->scale : 1;
    gt_sum index = gt_sum_number(0);
    const bool dereferenced = is(w, before, "*") && !ends_operand(w, further);
    const bool is_told = own == w->atomic || own == w->reader || own == w->writer;
    const use told = {own != w->writer, own != w->reader};
    if (at == w->aliased) {
        return;
    }
    if (buffer->texture) {
        read_texture(w, buffer, rest);
        return;
    }
    if (has_index) {
        index = gt_draft_read_sum(draft, &inside);
        index = inside.first == operand.end - 1 ? index : (gt_sum){0};
    }
    index = alias ? gt_sum_add(alias->offset, index, alias->scale) : index;
    cast cast = own == w->wide.at ? (struct cast){.bytes = w->wide.bytes} : read_cast(w, operand);
    if (cast.bytes > 0) {
        const double wide = elements_in(w, buffer, cast.bytes);
        const use how = own == w->wide.at ? w->wide.how
                                          : use_at(w, behind(w, cast.all.end), cast.all.first - 1);
        if (cast.index.end > cast.index.first) {
            index = gt_sum_add(index, gt_draft_read_sum(draft, &cast.index), wide);
        }
        note_use(buffer, how);
        note_access(w, buffer, index, fmax(lanes, wide));
    } else if (has_index) {
        const use how = is_told ? told : use_at(w, behind(w, operand.end), before);
        note_use(buffer, how);
        gt_span value = behind(w, operand.end + 1);
        const gt_sum given =
            is(w, operand.end, "=") ? gt_draft_read_sum(draft, &value) : (gt_sum){0};
        buffer->is_unordered |= how.write && (has_drawn(draft, &index) || has_drawn(draft, &given));
        buffer->is_divisor |=
            is(w, before - (is(w, before, ")") && is(w, before - 2, "(") ? 3 : 0), "/ %");
        note_access(w, buffer, index, lanes);
    } else if (dereferenced || is_told) {
        if (!dereferenced && gt_program_accept(w->program, &rest, "+")) { /* atomicAdd(p + i, …) */
            index = gt_sum_add(index, gt_draft_read_sum(draft, &rest), lanes);
        }
        if (dereferenced && is(w, further, "(")) { /* (*p)++ */
            (void)gt_program_accept(w->program, &rest, ")");
        }
        note_use(buffer, is_told ? told : use_at(w, rest, further));
        note_access(w, buffer, index, lanes);
    } else if (is(w, at + 1, "->")) {
        note_use(buffer, use_at(w, rest, before));
        note_access(w, buffer, index, lanes);
    } else if (is(w, at + 1, changing) || is(w, at + 1, "=")) {
        buffer->is_moved = true;
    } else {
        note_use(buffer, (use){true, true});
        buffer->is_passed_on = true;
    }
}

/* What is handed to others, or to its own functions, with pointers in it. */
static void note_holder(walk *w)
{
    const size_t at = w->rest.first;
    const bool is_part = is(w, at + 1, ".") && !is(w, at + 3, "(");
    const char *name = GT_NAME(w->program, at);
    for (gt_draft_argument *buffer = NULL;
         !is_part && (buffer = gt_draft_next_buffer(w->draft, buffer));) {
        if (buffer->holder && strcmp(buffer->holder->declared.name, name) == 0) {
            note_use(buffer, (use){true, true});
            buffer->is_passed_on = true;
        }
    }
}

/* A macro that stands for an element, `#define Y(i) y[i]`: Y(2) = 1, or has others in it. */
static void read_macro(walk *w, const gt_macro *macro)
{
    const size_t at = w->rest.first;
    const size_t end = macro->takes_arguments ? gt_program_close(w->program, at + 1) + 1 : at + 1;
    for (size_t i = macro->value.first; i < macro->value.end; i++) {
        if (macro->takes_arguments && gt_program_same(w->program, i, macro->parameters.first)) {
            w->wide.at = at + 2;
            w->wide.bytes = read_cast(w, (gt_span){i, i + 1}).bytes;
            w->wide.how = use_at(w, behind(w, end), at - 1);
        }
        const gt_draft_alias *alias;
        gt_draft_argument *buffer = gt_draft_find_buffer(w->draft, i, &alias);
        if (buffer) {
            const bool is_first = i == macro->value.first;
            note_use(buffer, is_first ? use_at(w, behind(w, end), at - 1) : (use){.read = true});
            if (is(w, i + 1, "[") && !alias) {
                gt_span inside = {i + 2, gt_program_close(w->program, i + 1)};
                const gt_span arguments = {at + 2, end - 1};
                note_access(w, buffer, gt_draft_read_macro_sum(w->draft, &inside, macro, arguments),
                            1);
            }
        }
    }
}

/* Notes the first operand of a function that loads, stores or does both: atomicAdd(&p[i], …),
 * __ldg(&p[i]), __stcs(&p[i], v). */
static void read_function(walk *w)
{
    const size_t at = w->rest.first;
    const size_t operand = at + 2 + is(w, at + 2, "&");
    const char *name = GT_NAME(w->program, at);
    if (!is(w, at + 1, "(")) {
        return;
    }
    w->atomic = strncmp(name, "atomic", 6) == 0 ? operand : w->atomic;
    w->reader = strncmp(name, "__ld", 4) == 0 ? operand : w->reader;
    w->writer = strncmp(name, "__st", 4) == 0 ? operand : w->writer;
}

/* ---- definitions ---- */

/* The buffer that an initialiser names first, and where in it the pointer begins. */
static bool read_alias(walk *w, size_t first, gt_draft_alias *out)
{
    gt_draft *draft = w->draft;
    const gt_draft_alias *alias = NULL;
    const gt_span value = gt_program_statement(w->program, first);
    size_t at = value.first;
    gt_draft_argument *buffer = NULL;
    while (at < value.end && !(buffer = gt_draft_find_buffer(draft, at, &alias))) {
        at++;
    }
    const size_t own = gt_draft_operand(draft, at);
    const bool is_address = is(w, own - 1, "&") || (is(w, own - 1, "(") && is(w, own - 2, "&"));
    const bool is_element = at > first && is_address && is(w, at + 1, "[");
    if (!buffer || (is(w, at + 1, "[") && !is_element)) {
        return false; /* a value, no pointer */
    }
    gt_span rest = {at + 2, value.end};
    gt_sum offset = gt_sum_number(0);
    if (is_element || is(w, at + 1, "+")) {
        offset = gt_draft_read_sum(draft, &rest);
    }
    w->aliased = at;
    out->buffer = buffer;
    out->offset = alias ? gt_sum_add(alias->offset, offset, alias->scale) : offset;
    out->scale = alias ? alias->scale : 1;
    return true;
}

/* `TYPE *NAME = …` of a pointer into a buffer. */
static bool define_alias(walk *w)
{
    gt_draft *draft = w->draft;
    gt_draft_alias alias = {.scale = 1};
    gt_token_name(alias.name, gt_token_at(w->program, w->rest.first));
    if (!alias.name[0] || !read_alias(w, w->rest.first + 2, &alias)) {
        return false;
    }
    alias.scale = fmax(alias.scale, elements_in(w, alias.buffer, bytes_of(w, w->type)));
    draft->failed |= gt_array_push(&draft->aliases, alias) != GPUTUNE_OK;
    return true;
}

/* `NAME = value`: the value of a local as it is defined. */
static void define_local(walk *w)
{
    gt_draft *draft = w->draft;
    const size_t at = w->rest.first;
    gt_span value = behind(w, at + 2);
    double number;
    const char *name = GT_NAME(w->program, at);
    const int known = gt_draft_find_symbol(draft, name);
    const bool declares =
        w->program->tokens.items[at - 1].kind == GT_TOKEN_NAME || is(w, at - 1, ",");
    if (!name[0]) {
        return;
    }
    const gt_sum definition = gt_draft_read_sum(draft, &value);
    if (known >= 0 && !declares) {
        gt_draft_symbol *symbol = &draft->symbols.items[known];
        const bool is_new = definition.known && !gt_sum_has(&definition, known) &&
                            !gt_sum_is_number(&definition, &number);
        if (symbol->kind != GT_DRAFT_LOCAL) {
            return; /* a parameter that is changed */
        }
        if (!symbol->definition.known) {
            symbol->definition = definition;
            return;
        }
        symbol->is_stepped |= !is_new;
        if (!is_new) {
            return;
        }
    }
    const int added = gt_draft_add_symbol(draft, name, GT_DRAFT_LOCAL);
    if (added) {
        draft->symbols.items[added].is_drawn =
            strncmp(GT_NAME(w->program, at + 2), "atomic", 6) == 0;
        draft->symbols.items[added].definition =
            is(w, value.first, "; , )") ? definition : (gt_sum){0};
    }
}

/* `i++`, `i += e` and other changes of a local. */
static void step(walk *w)
{
    const size_t at = w->rest.first;
    gt_span value = behind(w, at + 2);
    const char *name = GT_NAME(w->program, at);
    const int known = gt_draft_find_symbol(w->draft, name);
    gt_sum by = {0};
    if (is(w, at + 1, "+=")) {
        by = gt_draft_read_sum(w->draft, &value);
    } else if (is(w, at + 1, "++") || is(w, at - 1, "++")) {
        by = gt_sum_number(1);
    }
    if (known > 0 && w->draft->symbols.items[known].kind == GT_DRAFT_LOCAL) {
        gt_draft_symbol *symbol = &w->draft->symbols.items[known];
        symbol->step = symbol->is_stepped ? (gt_sum){0} : by;
        symbol->is_stepped = true;
    }
}

/* ---- comparisons ---- */

/* The token behind the statement of the `if` in whose condition `at` is; 0: it is in none. */
static size_t guarded_end(const walk *w, size_t at)
{
    const gt_program *p = w->program;
    int depth = 0;
    for (; at > w->draft->body.first && !is(w, at, "; { }"); at--) {
        depth += is(w, at, ")") - is(w, at, "(");
        if (depth < 0 && is(w, at - 1, "if constexpr")) {
            const size_t first = gt_program_close(p, at) + 1;
            return is(w, first, "{") ? gt_program_close(p, first)
                                     : gt_program_first(p, (gt_span){first, w->rest.end}, ";");
        }
        depth = depth < 0 ? 0 : depth;
    }
    return 0;
}

static void add_guard(const walk *w, gt_sum left, gt_sum bound, double more, bool is_exit)
{
    gt_draft *draft = w->draft;
    gt_draft_guard guard = {.left = {.known = true}, .is_exit = is_exit};
    double number;
    guard.bound = gt_sum_plus(gt_draft_expand(draft, bound, false), more);
    /* what does not vary goes to the right */
    for (uint32_t i = 0; i < left.count; i++) {
        const gt_sum term = gt_sum_term(&left, i);
        const bool stays = gt_draft_has(draft, &term, GT_DRAFT_VARYING);
        guard.left = stays ? gt_sum_add(guard.left, term, 1) : guard.left;
        guard.bound = stays ? guard.bound : gt_sum_add(guard.bound, term, -1);
    }
    const bool is_number = gt_sum_is_number(&guard.bound, &number);
    const bool is_lower = is_exit && is_number; /* i >= 1 */
    guard.end = is_number ? guarded_end(w, w->rest.first) : 0;
    if (left.known && guard.bound.known && guard.left.count > 0 &&
        !gt_draft_has(draft, &guard.bound, GT_DRAFT_VARYING) && !is_lower) {
        draft->failed |= gt_array_push(&draft->guards, guard) != GPUTUNE_OK;
    }
}

/* Where an operand may begin: notes `a < b` and the like. */
static void read_comparison(walk *w)
{
    static const struct {
        const char *sign;
        bool less;   /* left is below right */
        double more; /* what makes the bound exclusive */
    } signs[] = {{"<", true, 0}, {"<=", true, 1}, {">=", false, 0}, {">", false, 1}};
    gt_draft *draft = w->draft;
    gt_span rest = w->rest;
    const gt_sum left = gt_draft_read_sum(draft, &rest);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && left.known; i++) {
        if (!gt_program_accept(w->program, &rest, signs[i].sign)) {
            continue;
        }
        const gt_sum right = gt_draft_read_sum(draft, &rest);
        if (!right.known) {
            return;
        }
        if (!gt_draft_has(draft, &left, GT_DRAFT_VARYING) &&
            gt_draft_has(draft, &right, GT_DRAFT_VARYING)) { /* n > i is i < n */
            add_guard(w, right, left, 1 - signs[i].more, signs[i].less);
        } else {
            add_guard(w, left, right, signs[i].more, !signs[i].less);
        }
    }
}

/* ---- what cannot be a template ---- */

static gputune_status check_token(const walk *w)
{
    static const char fetches[] = "tex1Dfetch tex2D tex1D tex3D tex1DLayered tex2DLayered";
    static const struct {
        const char *words, *what, *remedy;
    } refused[] = {
        {"tex2DLod tex2Dgather texCubemap", "a fetch that no template has",
         "tex1D(), tex2D(), tex3D() or tex1Dfetch()"},
        {"surf1Dread surf2Dread surf3Dread surf1Dwrite surf2Dwrite surf3Dwrite",
         "a surface, which a template cannot have", "a buffer"},
        {fetches, "a read without a type, as of a texture reference",
         "tex1Dfetch<TYPE>() or tex2D<TYPE>() of a cudaTextureObject_t parameter"},
        {"<<", "a launch from the device, which a template cannot have",
         "a pipeline of launch() clauses"},
    };
    const size_t at = w->rest.first;
    const gt_token *token = gt_token_at(w->program, at);
    const bool is_launch = is(w, at + 1, "<") && token[1].text == token->text + token->length;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const bool is_fetch = refused[i].words == fetches;
        if (is(w, at, refused[i].words) && !(is_fetch && is(w, at + 1, "<")) &&
            (is_launch || !is(w, at, "<<"))) {
            gt_message_at(gt_draft_place(w->draft, (size_t)(token->text - w->draft->text)),
                          "%s; expected %s", refused[i].what, refused[i].remedy);
            return gt_failure(GPUTUNE_EUNSUPPORTED);
        }
    }
    return GPUTUNE_OK;
}

/* ---- the pass ---- */

static void read_name(walk *w)
{
    gt_draft *draft = w->draft;
    const size_t at = w->rest.first;
    const gt_draft_alias *alias;
    const char *name = GT_NAME(w->program, at);
    gt_draft_argument *buffer = gt_draft_find_buffer(draft, at, &alias);
    const bool is_pointer = (is(w, at - 1, "*") && w->type[0] && is(w, at - 2, w->type)) ||
                            is(w, at - 1, "__restrict__") ||
                            (is(w, at - 1, "const") && is(w, at - 2, "*"));
    if (is(w, at - 1, ". ->")) { /* a member of that name */
        if (is(w, at - 1, ".") && buffer) {
            read_buffer(w, buffer, alias);
        }
        return;
    }
    note_holder(w);
    const gt_macro *macro = gt_program_macro_of(w->program, gt_token_at(w->program, at));
    if (macro && (!macro->takes_arguments || is(w, at + 1, "("))) {
        read_macro(w, macro);
    }
    read_function(w);
    if (is(w, at, "__shared__")) {
        read_shared(w, at);
    }
    draft->is_cooperative |= is(w, at, "this_grid gputune_grid_sync");
    for (size_t i = 0; i < draft->shared.count; i++) {
        if (strcmp(name, draft->shared.items[i].name) == 0 && is(w, at + 1, "[")) {
            read_shared_access(w, &draft->shared.items[i], behind(w, at + 1));
        }
    }
    if (is(w, at + 1, "=") && (!buffer || is_pointer)) {
        if (!(is_pointer || strcmp(w->type, "auto") == 0) || !define_alias(w)) {
            define_local(w);
        }
    } else if (buffer) {
        read_buffer(w, buffer, alias);
    } else if (is(w, at + 1, changing) || is(w, at - 1, "++ --")) {
        step(w);
    }
}

/* Which dimensions the kernel uses at all. */
static void note_dimension(const walk *w)
{
    const size_t at = w->rest.first;
    if (is(w, at, "threadIdx blockDim blockIdx gridDim") && is(w, at + 1, ".") &&
        is(w, at + 2, "x y z")) {
        gt_draft_dimension *dimension =
            &w->draft->dimensions[w->program->tokens.items[at + 2].text[0] - 'x'];
        dimension->has_threads |= is(w, at, "threadIdx blockDim");
        dimension->has_blocks |= is(w, at, "blockIdx gridDim");
        dimension->has_grid |= is(w, at, "gridDim");
    }
}

gputune_status gt_draft_read_body(gt_draft *draft)
{
    walk w = {.draft = draft, .program = draft->program, .rest = draft->body};
    for (; w.rest.first < w.rest.end && !draft->failed; w.rest.first++) {
        const size_t at = draft->at = w.rest.first;
        GT_TRY(check_token(&w));
        if (is(&w, at - 1, "( ; { } && || ! , ? : = return")) {
            read_comparison(&w);
        }
        if (w.program->tokens.items[at].kind == GT_TOKEN_NAME) {
            note_dimension(&w);
            read_name(&w);
            if (!is(&w, at, "const __restrict__ restrict volatile")) {
                gt_token_name(w.type, gt_token_at(w.program, at));
            }
        }
    }
    draft->at = 0;
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}
