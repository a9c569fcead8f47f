/* Makes random templates with axes and constraints, and enumerates their spaces by brute force. */
#pragma once

#include "kernel_support.h"

#include "base/random.h"
#include "kernel/bind/binding.h"
#include "kernel/template/declared.h"

static inline int pick(gt_random *random, int bound)
{
    return (int)gt_random_below(random, (uint64_t)bound);
}

/* Writes a random expression of the first `axes` axes. With `launch`, also uses values of the
 * launch, such as block_x. */
static inline void write_expression(gt_text *text, gt_random *random, int axes, int depth,
                                    bool launch)
{
    static const char *const signs[] = {"+", "-",  "*",  "/", "%", "<<", ">>", "<",  "<=",
                                        ">", "==", "!=", "&", "^", "|",  "&&", "||", ">="};
    static const char *const calls[] = {"min", "max", "ceil_div", "round_up"};
    static const char *const launches[] = {"block_x", "block_y",    "grid_x",
                                           "grid_y",  "max_blocks", "sizeof(W)"};
    int kind = depth > 0 ? pick(random, 8) : 6 + pick(random, 2);
    if (kind < 4) {
        gt_text_append(text, "(");
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_printf(text, " %s ", signs[pick(random, 18)]);
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, ")");
    } else if (kind == 4) {
        gt_text_printf(text, "%s(", calls[pick(random, 4)]);
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, ", ");
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, ")");
    } else if (kind == 5) {
        gt_text_append(text, "(");
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, " ? ");
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, " : !");
        write_expression(text, random, axes, depth - 1, launch);
        gt_text_append(text, ")");
    } else if (kind == 6 && launch && pick(random, 3) == 0) {
        gt_text_append(text, launches[pick(random, 6)]);
    } else if (kind == 6 || pick(random, 2)) {
        gt_text_printf(text, "%c", 'A' + pick(random, axes));
    } else {
        gt_text_printf(text, "%d", pick(random, 12));
    }
}

static inline void write_clause(gt_text *text, gt_random *random, const char *clause, int axes,
                                int depth, bool launch)
{
    gt_text_printf(text, "#pragma gputune %s(", clause);
    write_expression(text, random, axes, depth, launch);
    gt_text_append(text, ")\n");
}

static inline void write_axes(gt_text *text, gt_random *random, int axes)
{
    for (int i = 0; i < axes; i++) {
        int values = 1 + pick(random, 5), value = pick(random, 4) - 1;
        gt_text_printf(text, "#pragma gputune tune(%c = %d", 'A' + i, value);
        for (int v = 1; v < values; v++) {
            value += 1 + pick(random, 4);
            gt_text_printf(text, ", %d", value);
        }
        gt_text_append(text, ")\n");
    }
    gt_text_append(text, "#pragma gputune tune(W = half, float, double)\n");
}

/* Writes a template with `axes` axes whose values are numbers, and an axis W whose values are
 * words. Only some of the axes occur in the kernel. */
static inline void write_template(gt_text *text, gt_random *random, int axes)
{
    gt_text_append(text, "#pragma gputune kernel(k) problem(n = 100) args(inout float y[n])\n");
    write_axes(text, random, axes);
    if (pick(random, 2)) {
        gt_text_append(text, "#pragma gputune cluster(X = 1, 2; Y = 1, 8, 16)\n");
    }
    if (pick(random, 2)) {
        gt_text_append(text, "#pragma gputune carveout(S = auto, 0, 8, 64, 77)\n");
        gt_text_printf(text, "#pragma gputune shared(%s)\n",
                       pick(random, 2) ? "(A + block_x) * 1024"
                       : axes > 2      ? "A * B * B * C * 512"
                                       : "A * 30000");
    }
    for (int i = pick(random, 4); i > 0; i--) {
        write_clause(text, random, "require", axes, 3, true);
    }
    for (int i = pick(random, 3); i > 0; i--) {
        gt_text_printf(text, "#pragma gputune require(%c + %c <= %d && %c %% %d != 1)\n",
                       'A' + pick(random, axes), 'A' + pick(random, axes), 2 + pick(random, 12),
                       'A' + pick(random, axes), 2 + pick(random, 3));
    }
    gt_text_append(text, "#pragma gputune block(16 * ");
    write_expression(text, random, axes, 1, false);
    gt_text_printf(text, " + 1, %s)\n", pick(random, 2) ? "A + 1" : "2");
    gt_text_append(text, "#pragma gputune grid(4 + ");
    write_expression(text, random, axes, 1, false);
    gt_text_printf(text, ", %s)\n", pick(random, 2) ? "max_blocks - block_x" : "1");
    gt_text_append(text, "__global__ void k(float *y) { y[0] = W()");
    GT_SCOPED(gt_text_free) gt_text launched = {0};
    for (int i = 0, next = 0; i < axes; i++) {
        gt_text_printf(i == next ? text : &launched, " + %c", 'A' + i);
        next = i == next ? i + 1 + pick(random, 2) : next;
    }
    gt_text_append(text, "; }\n");
    gt_text_printf(text, "#pragma gputune cooperative((0%s) > 1000)\n", gt_text_string(&launched));
}

static inline bool brute_valid(const setup *b, const gt_config *config)
{
    gt_binding binding;
    gt_binding_open(&binding, b->template, &b->problem, &b->device);
    if (gt_binding_all(&binding, config)) {
        return false;
    }
    for (uint32_t i = 0; i < b->template->parts->constraint_count; i++) {
        int64_t holds;
        if (gt_expression_try(&holds, b->template->parts->constraints[i], binding.slots) ||
            !holds) {
            return false;
        }
    }
    return true;
}

/* Sets the next combination in lexicographic order. Returns false after the last one. */
static inline bool brute_next(const gt_template *template, gt_config *config)
{
    for (uint32_t i = template->axis_count; i-- > 0;) {
        if (++config->choice[i] < template->axes[i].count) {
            return true;
        }
        config->choice[i] = 0;
    }
    return false;
}
