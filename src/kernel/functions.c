/* Finds __global__ functions and their parameters in CUDA text. */
#include "kernel/functions.h"

#include "kernel/types.h"

#include <string.h>

static const gt_place nowhere = {"", 1, 1};

static size_t offset(const gt_lexer *lexer, const char *text)
{
    return (size_t)(lexer->token.text - text);
}

/* A scan that counts brackets and conditional directives. It is torn where the branches of an #if
 * leave brackets open, because brackets then cannot be matched. */
typedef struct scan {
    gt_lexer lexer;
    int depth, conditionals;
    int depths[32]; /* the brackets' depth at each open #if */
    bool torn;
    const char *closed_at; /* the last closing bracket that was looked for */
} scan;

static void read_directive(scan *s)
{
    gt_lexer line;
    gt_lexer_directive(&s->lexer, &line);
    bool opens =
        gt_lexer_is(&line, "if") || gt_lexer_is(&line, "ifdef") || gt_lexer_is(&line, "ifndef");
    bool closes = gt_lexer_is(&line, "endif");
    bool turns = gt_lexer_is(&line, "else") || gt_lexer_is(&line, "elif");
    if (opens) {
        s->torn |= s->conditionals == 32;
        s->depths[s->conditionals % 32] = s->depth;
        s->conditionals++;
    }
    if (closes || turns) {
        s->torn |= s->conditionals == 0 || s->depths[(s->conditionals + 31) % 32] != s->depth;
        s->conditionals -= closes && s->conditionals > 0;
    }
}

/* With the scan at `open`: moves behind the bracket that closes it. */
static bool skip_brackets(scan *s, const char *open, const char *close)
{
    int outside = s->depth;
    while (s->lexer.token.kind != GT_TOKEN_END) {
        if (s->lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(s);
            continue;
        }
        s->depth += gt_lexer_is(&s->lexer, open);
        bool closed = gt_lexer_is(&s->lexer, close) && --s->depth == outside;
        if (closed) {
            s->torn |= s->conditionals > 0;
            s->closed_at = s->lexer.token.text;
        }
        gt_lexer_next(&s->lexer);
        if (closed) {
            return !s->torn;
        }
    }
    return false;
}

/* With the lexer on the '(' of the parameters. */
static void read_rest(gt_function *out, const gt_lexer *lexer, const char *text)
{
    scan s = {.lexer = *lexer};
    out->parameters = offset(&s.lexer, text) + 1;
    out->plain = skip_brackets(&s, "(", ")");
    out->parameters_end = out->plain ? (size_t)(s.closed_at - text) : out->parameters;
    while (s.lexer.token.kind != GT_TOKEN_END && !gt_lexer_is(&s.lexer, ";") &&
           !gt_lexer_is(&s.lexer, "{")) {
        out->plain &= s.lexer.token.kind != GT_TOKEN_DIRECTIVE;
        gt_lexer_next(&s.lexer);
    }
    out->is_definition = gt_lexer_is(&s.lexer, "{");
    if (!out->is_definition) {
        out->end = offset(&s.lexer, text) + gt_lexer_is(&s.lexer, ";");
        return;
    }
    out->plain = skip_brackets(&s, "{", "}") && out->plain;
    out->end = out->plain ? (size_t)(s.closed_at - text) + 1 : out->parameters_end;
}

/* What a scan knows of the declaration that it is in. */
typedef struct declaration {
    size_t begin, global;
    bool open, is_global, is_template, is_extern_c;
} declaration;

static void note(declaration *now, const gt_lexer *lexer, const char *text)
{
    if (gt_lexer_is(lexer, ";") || gt_lexer_is(lexer, "{") || gt_lexer_is(lexer, "}") ||
        lexer->token.kind == GT_TOKEN_DIRECTIVE) {
        *now = (declaration){0};
        return;
    }
    if (!now->open) {
        *now = (declaration){.open = true, .begin = offset(lexer, text)};
    }
    if (gt_lexer_is(lexer, "__global__")) {
        now->is_global = true;
        now->global = offset(lexer, text);
    }
    now->is_template |= gt_lexer_is(lexer, "template");
    now->is_extern_c |= gt_lexer_is(lexer, "\"C\"");
}

bool gt_function_find(gt_function *out, const char *text, const char *name, size_t from)
{
    gt_lexer lexer, line;
    declaration now = {0};
    gt_lexer_open(&lexer, text + from, strlen(text + from), nowhere);
    while (lexer.token.kind != GT_TOKEN_END) {
        note(&now, &lexer, text);
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            continue;
        }
        bool hit = now.is_global && gt_lexer_is(&lexer, name);
        size_t at = offset(&lexer, text);
        gt_lexer_next(&lexer);
        if (hit && gt_lexer_is(&lexer, "(")) {
            *out = (gt_function){.begin = now.begin,
                                 .global = now.global,
                                 .name = at,
                                 .is_template = now.is_template,
                                 .is_extern_c = now.is_extern_c};
            read_rest(out, &lexer, text);
            return true;
        }
    }
    return false;
}

static bool is_qualifier(const gt_token *token)
{
    static const char *const words[] = {"const",    "volatile",          "__restrict__",
                                        "restrict", "__grid_constant__", "__restrict"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (gt_token_is(token, words[i])) {
            return true;
        }
    }
    return false;
}

/* One parameter: the tokens up to a comma or the end. The last name is its name, the names before
 * it its type. */
typedef struct parameter_scan {
    char words[GT_NAME_MAX], last[GT_NAME_MAX];
    bool overlong;
} parameter_scan;

static void keep_name(parameter_scan *scan, const gt_token *token)
{
    size_t length = strlen(scan->words), more = strlen(scan->last);
    if (length + more + 2 > sizeof scan->words || token->length >= sizeof scan->last) {
        scan->overlong = true;
        return;
    }
    if (more > 0) {
        if (length > 0) {
            scan->words[length++] = ' ';
        }
        memcpy(scan->words + length, scan->last, more + 1);
    }
    memcpy(scan->last, token->text, token->length);
    scan->last[token->length] = '\0';
}

static void read_parameter(gt_function_parameter *out, gt_lexer *lexer)
{
    int depth = 0;
    parameter_scan scan = {0};
    *out = (gt_function_parameter){0};
    for (; lexer->token.kind != GT_TOKEN_END; gt_lexer_next(lexer)) {
        const gt_token *token = &lexer->token;
        if (depth == 0 && gt_token_is(token, ",")) {
            break;
        }
        bool opens = gt_token_is(token, "(") || gt_token_is(token, "[") || gt_token_is(token, "<");
        bool closes = gt_token_is(token, ")") || gt_token_is(token, "]") || gt_token_is(token, ">");
        depth += opens - closes;
        out->pointer |= gt_token_is(token, "*") || gt_token_is(token, "[");
        if (token->kind == GT_TOKEN_NAME && depth == 0 && !is_qualifier(token)) {
            keep_name(&scan, token);
        }
    }
    memcpy(out->name, scan.last, sizeof out->name);
    memcpy(out->words, scan.words, sizeof out->words);
    out->has_type = !scan.overlong && gt_element_from_name(&out->element, scan.words);
}

static bool read_block(char block[GT_NAME_MAX], gt_lexer *lexer)
{
    block[0] = '\0';
    if (!gt_lexer_accept(lexer, "GPUTUNE_PARAM")) {
        return true;
    }
    return gt_lexer_accept(lexer, "(") &&
           gt_name_read(block, GT_NAME_MAX, lexer, "the pass block's name") == GPUTUNE_OK &&
           gt_lexer_accept(lexer, ")");
}

bool gt_function_parameters(gt_function_parameter *out, size_t most, size_t *count,
                            char block[GT_NAME_MAX], const char *text, const gt_function *function)
{
    gt_lexer lexer;
    *count = 0;
    gt_lexer_open(&lexer, text + function->parameters,
                  function->parameters_end - function->parameters, nowhere);
    if (!function->plain || !read_block(block, &lexer)) {
        return false;
    }
    gt_lexer ahead = lexer;
    bool nothing = gt_lexer_accept(&ahead, "void") && ahead.token.kind == GT_TOKEN_END;
    while (!nothing && lexer.token.kind != GT_TOKEN_END) {
        gt_function_parameter parameter;
        read_parameter(&parameter, &lexer);
        if (*count < most) {
            out[*count] = parameter;
        }
        ++*count;
        if (!gt_lexer_accept(&lexer, ",")) {
            break;
        }
    }
    return true;
}
