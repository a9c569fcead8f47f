/* Parses, writes and evaluates rules. */
#include "kernel/rule/rule.h"

#include "kernel/template/symbols.h"

#include "base/number.h"

#include <ctype.h>
#include <string.h>

enum { NESTING_MAX = 64 };

typedef struct parser {
    gt_rule *rule;
    const gt_template *template;
    char *line; /* current line without its indentation; NULL after the last line */
    char *rest; /* text after the current line */
    int number; /* number of the current line */
    int nesting;
} parser;

static void next_line(parser *p)
{
    p->line = strsep(&p->rest, "\n");
    p->number++;
    p->line += p->line ? strspn(p->line, " \t") : 0;
}

static void read_token(parser *p)
{
    do {
        next_line(p);
    } while (p->line && !*p->line);
}

static gputune_status fail_expected(const parser *p, const char *expected)
{
    return gt_fail(GPUTUNE_ERECORDED, "a rule's line %d: found %s%s%s; expected %s", p->number,
                   p->line ? "'" : "", p->line ? p->line : "the end", p->line ? "'" : "", expected);
}

/* Adds the line number to the error message, and changes the status to ERECORDED. */
static gputune_status in_line(const parser *p, gputune_status status)
{
    return status == GPUTUNE_OK || status == GPUTUNE_ENOMEM
               ? status
               : gt_fail_prefix(GPUTUNE_ERECORDED, "a rule's line %d", p->number);
}

static char *after_word(const parser *p, const char *word)
{
    const size_t length = strlen(word);
    bool is = p->line && strncmp(p->line, word, length) == 0 &&
              (!p->line[length] || isblank((unsigned char)p->line[length]));
    return is ? p->line + length + strspn(p->line + length, " \t") : NULL;
}

/* Splits "m=64:16384" into its two sizes. If there is no range, both of them are equal. */
static gputune_status parse_range(gputune_size *least, gputune_size *most, char *setting)
{
    char *equals = strchr(setting, '='), *colon = equals ? strchr(equals, ':') : NULL;
    *least = *most = (gputune_size){setting, 0};
    if (colon && isdigit((unsigned char)equals[1])) {
        *equals = *colon = '\0';
        GT_TRY(gt_parse_int(&least->value, equals + 1));
        GT_TRY(gt_parse_int(&most->value, colon + 1));
    }
    return GPUTUNE_OK;
}

static gputune_status parse_region(parser *p, char *text)
{
    gt_rule_region *region = &p->rule->region;
    gputune_size least[GT_PROBLEM_MAX], most[GT_PROBLEM_MAX];
    size_t count = 0;
    while (*text && count < GT_PROBLEM_MAX) {
        char *end = text + gt_setting_length(text, false), *next = end + strspn(end, " \t");
        *end = '\0';
        GT_TRY(parse_range(&least[count], &most[count], text));
        count++;
        text = next;
    }
    GT_TRY(gt_problem_bind(&region->least, p->template, (gputune_sizes){count, least}));
    return gt_problem_bind(&region->most, p->template, (gputune_sizes){count, most});
}

static gputune_status parse_loss(parser *p, const char *text)
{
    static const char *const names[] = {"mean=", "p90=", "worst=", "sizes="};
    double values[4];
    for (int i = 0; i < 4; i++) {
        char *end = NULL;
        const size_t length = strlen(names[i]);
        text += strspn(text, " \t");
        const bool is = strncmp(text, names[i], length) == 0;
        values[i] = is ? gt_strtod(text + length, &end) : -1;
        GT_TRY(values[i] >= 0 && values[i] <= UINT32_MAX && end > text + length
                   ? GPUTUNE_OK
                   : fail_expected(p, "mean=, p90=, worst= and sizes="));
        text = end;
    }
    p->rule->loss = (gt_rule_loss){values[0], values[1], values[2], (uint32_t)values[3]};
    return GPUTUNE_OK;
}

static gputune_status parse_variants(parser *p)
{
    for (const char *text; (text = after_word(p, "variant")); read_token(p)) {
        gt_config config;
        GT_TRY(in_line(p, gt_config_parse(&config, p->template, text, true)));
        GT_TRY(gt_array_push(&p->rule->variants, config));
    }
    return p->rule->variants.count ? GPUTUNE_OK : fail_expected(p, "'variant'");
}

static gputune_status parse_condition(gt_expression **out, parser *p, const char *text)
{
    gt_symbols symbols = {p->template, GT_USE_SIZE | GT_USE_DEVICE, NULL};
    const gt_scope scope = gt_symbols_scope(&symbols);
    gt_lexer lexer;
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"rule", p->number, 1});
    GT_TRY(in_line(p, gt_expression_read(out, &lexer, &scope)));
    return lexer.token.kind == GT_TOKEN_END ? GPUTUNE_OK : fail_expected(p, "one condition");
}

static gputune_status parse_tree(parser *p);

static gputune_status parse_branches(parser *p, size_t at, const char *condition)
{
    GT_TRY(++p->nesting <= NESTING_MAX ? GPUTUNE_OK : fail_expected(p, "fewer nested conditions"));
    GT_TRY(parse_condition(&p->rule->nodes.items[at].condition, p, condition));
    read_token(p);
    GT_TRY(parse_tree(p));
    GT_TRY(after_word(p, "else") ? GPUTUNE_OK : fail_expected(p, "'else'"));
    read_token(p);
    p->rule->nodes.items[at].otherwise = (uint32_t)p->rule->nodes.count;
    p->nesting--;
    return parse_tree(p);
}

static gputune_status parse_tree(parser *p)
{
    const char *condition = after_word(p, "if"), *variant = after_word(p, "use");
    const size_t at = p->rule->nodes.count;
    int64_t index = 0;
    GT_TRY(condition || variant ? GPUTUNE_OK : fail_expected(p, "'if' or 'use'"));
    GT_TRY(gt_array_push(&p->rule->nodes, (gt_rule_node){0}));
    if (condition) {
        return parse_branches(p, at, condition);
    }
    GT_TRY(gt_read_int(&index, variant) == GT_INT_READ && index >= 0 &&
                   index < (int64_t)p->rule->variants.count
               ? GPUTUNE_OK
               : fail_expected(p, "the number of a variant"));
    p->rule->nodes.items[at].variant = (uint32_t)index;
    read_token(p);
    return GPUTUNE_OK;
}

static gputune_status parse_rule(parser *p)
{
    read_token(p);
    char *region = after_word(p, "region");
    GT_TRY(region ? in_line(p, parse_region(p, region)) : fail_expected(p, "'region'"));
    read_token(p);
    const char *loss = after_word(p, "loss");
    GT_TRY(loss ? parse_loss(p, loss) : fail_expected(p, "'loss'"));
    read_token(p);
    GT_TRY(parse_variants(p));
    GT_TRY(parse_tree(p));
    return p->line ? fail_expected(p, "the end") : GPUTUNE_OK;
}

static void free_rule(gt_rule **rule)
{
    gt_rule_free(*rule);
}

gputune_status gt_rule_parse(gt_rule **out, const gt_template *template, const char *text)
{
    GT_FREED char *copy = NULL;
    GT_SCOPED(free_rule) gt_rule *rule = calloc(1, sizeof *rule);
    GT_TRY(gt_allocated(rule));
    GT_TRY(gt_strdup(&copy, text));
    parser p = {.rule = rule, .template = template, .rest = copy};
    rule->problem_count = template->problem_count;
    GT_TRY(parse_rule(&p));
    *out = gt_take(&rule);
    return GPUTUNE_OK;
}

void gt_rule_free(gt_rule *rule)
{
    for (size_t i = 0; rule && i < rule->nodes.count; i++) {
        free(rule->nodes.items[i].condition);
    }
    if (rule) {
        gt_array_free(&rule->nodes);
        gt_array_free(&rule->variants);
    }
    free(rule);
}

int gt_rule_choose(const gt_rule *rule, const gt_problem *problem, const int64_t *slots)
{
    for (uint32_t i = 0; i < rule->problem_count; i++) {
        const int64_t number = problem->values[i].number;
        if (number < rule->region.least.values[i].number ||
            number > rule->region.most.values[i].number) {
            return -1;
        }
    }
    const gt_rule_node *node = rule->nodes.items;
    while (node->condition) {
        int64_t holds;
        if (gt_expression_try(&holds, node->condition, slots)) {
            return -1;
        }
        node = holds ? node + 1 : &rule->nodes.items[node->otherwise];
    }
    return (int)node->variant;
}

void gt_rule_region_append(gt_text *out, const gt_template *template, const gt_rule_region *region)
{
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gt_value *least = &region->least.values[i], *most = &region->most.values[i];
        gt_text_printf(out, "%s%s=%s", i ? " " : "", template->problem[i].name,
                       GT_TEXT_OF_VALUE(least));
        if (most->number != least->number) {
            gt_text_printf(out, ":%lld", (long long)most->number);
        }
    }
}

gputune_status gt_rule_text(char **out, const gt_template *template, const gt_rule_region *region,
                            const gt_rule_loss *loss, const gt_config *variants, size_t count,
                            const char *tree)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, "region ");
    gt_rule_region_append(&text, template, region);
    gt_text_printf(&text, "\nloss mean=%.4g p90=%.4g worst=%.4g sizes=%u\n", loss->mean, loss->p90,
                   loss->worst, loss->sizes);
    for (size_t i = 0; i < count; i++) {
        GT_FREED char *config = NULL;
        GT_TRY(gt_config_text(&config, template, &variants[i]));
        gt_text_printf(&text, "variant %s\n", config);
    }
    gt_text_append(&text, tree);
    return gt_text_take(out, &text);
}
