/* What a template is known by: hashes of what its kernel computes and of how it is launched; and
 * which axes reach its source and its launch. */
#include "kernel/axis_kind.h"
#include "kernel/body.h"
#include "kernel/compiler_options.h"
#include "kernel/settings.h"
#include "kernel/tensormap.h"

#include <string.h>

/* An axis's value reaches the source as a macro, through a define() or the like, or as the
 * machinery of a pass block. */
static bool is_in_source(const gt_template_parts *parts, const gt_template *template, uint32_t axis)
{
    int slot = GT_SLOT_AXIS + (int)axis;
    const gt_body *body = &parts->kernel_body;
    bool in = gt_axis_traits_of(template->axes[axis].kind)->generates ||
              ((body->macros | body->arguments) >> axis & 1) ||
              gt_compiler_options_use(template, axis) ||
              (gt_settings_axes(parts, true) >> axis & 1);
    for (uint32_t i = 0; i < parts->define_count; i++) {
        in |= parts->defines[i].value && !parts->defines[i].is_name &&
              gt_expression_uses(parts->defines[i].value, slot);
    }
    return in;
}

/* The words whose clauses say what a kernel computes, and those that say how it is launched. */
static const char meaning_words[] =
    "args reference check expect init work clear options launch prove in_place texture";
static const char launch_words[] = "block grid shared scratch clear cooperative tensormap launch";
enum { WORDS_MAX = 16 };

/* How variants are proved right. What was proved, or refuted, in another way does not answer:
 * change it where the proof or the default tolerances change. */
static const char proof[] = "two launches, another data set with other scalars, all poisons, "
                            "tolerances by each element's sensitivity\n";

static void append_clause(gt_text *out, const gt_clause *clause)
{
    const char *begin = clause->body.token.text;
    gt_text_printf(out, "\n%s ", clause->word);
    gt_tokens_append(out, begin, (size_t)(clause->body.end - begin));
}

/* Appends the clauses of the words, which blanks separate, one word after another; and behind them
 * loops and launches in the order in which they stand. */
static void append_clauses(gt_text *out, const gt_reader *reader, const char *words)
{
    const gt_clause *clauses = reader->clauses.items;
    for (int w = 0; w < WORDS_MAX; w++) {
        for (size_t c = 0; c < reader->clauses.count; c++) {
            if (gt_word_at(clauses[c].word, strlen(clauses[c].word), words) == w) {
                append_clause(out, &clauses[c]);
            }
        }
    }
    for (size_t c = 0; reader->parts->has_loops && c < reader->clauses.count; c++) {
        if (gt_is_any(clauses[c].word, strlen(clauses[c].word), "for end swap launch")) {
            append_clause(out, &clauses[c]);
        }
    }
}

static gputune_status hash_clauses(gt_hash *out, const gt_reader *reader, const char *words)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    append_clauses(&text, reader, words);
    *out = gt_hash_string(gt_text_string(&text));
    return text.failed ? gt_fail_memory() : GPUTUNE_OK;
}

static void append_fill(gt_text *out, const gt_fill *fill)
{
    gt_text_printf(out, "%d %s %s", (int)fill->kind, fill->low ? fill->low->text : "",
                   fill->high ? fill->high->text : "");
}

static void append_pass(gt_text *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->pass_count; i++) {
        const gt_argument *pass = &template->passes[i];
        gt_text_printf(out, "\n%s %s %s %s ", pass->axis < 0 ? "constant" : "pass", pass->name,
                       pass->type, pass->extent_count ? pass->extents[0]->text : "");
        append_fill(out, &pass->fill);
        for (uint32_t k = 0; k < pass->initialisers.count; k++) {
            const gt_initialiser *item = &pass->initialisers.items[k];
            gt_text_printf(out, ", .%s ", item->path);
            append_fill(out, &item->fill);
        }
    }
}

static void append_instance(gt_text *out, const gt_kernel_name *kernel)
{
    const char *begin = kernel->arguments.token.text;
    if (kernel->is_template) {
        gt_text_append(out, "\nkernel ");
        gt_tokens_append(out, begin, (size_t)(kernel->arguments.end - begin));
    }
}

/* Times are kept for the work of the default's launch: with another default they are others. */
static void append_work_of_default(gt_text *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        if (template->work.axes >> i & 1) {
            gt_text_printf(out, "\ndefault %s=", axis->name);
            gt_axis_value_append(out, axis, axis->default_choice);
        }
    }
}

static gputune_status make_hashes(gt_parse *parse, const gt_reader *reader)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, proof);
    gt_tokens_append(&text, gt_text_string(&reader->body), reader->body.length);
    append_clauses(&text, reader, meaning_words);
    append_pass(&text, parse->template);
    append_instance(&text, &parse->parts->kernel);
    append_work_of_default(&text, parse->template);
    parse->template->identity = gt_hash_string(gt_text_string(&text));
    if (reader->has_headers) {
        parse->template->identity = gt_hash_join(parse->template->identity, reader->headers);
        parse->template->has_headers = true;
    }
    GT_SCOPED(gt_text_free) gt_text words = {0}; /* that say which code a configuration becomes */
    const gt_setting *setting;
    gt_text_append(&words, "define");
    for (uint32_t i = GT_SETTINGS_OF_LAUNCH; (setting = gt_setting_at(i)); i++) {
        gt_text_printf(&words, " %s", setting->word);
    }
    GT_TRY(text.failed || words.failed ? gt_fail_memory() : GPUTUNE_OK);
    GT_TRY(hash_clauses(&parse->parts->geometry, reader, launch_words));
    return hash_clauses(&parse->parts->making, reader, gt_text_string(&words));
}

static void note_axes(gt_parse *parse)
{
    gt_template *template = parse->template;
    gt_template_parts *parts = parse->parts;
    parts->geometry_axes = gt_settings_axes(parts, false);
    for (uint32_t i = template->argument_count; i < template->parameter_count; i++) {
        for (int k = 0; k < 3; k++) {
            parts->geometry_axes |= gt_axes_used(template->arguments[i].extents[k]);
        }
    }
    for (uint32_t i = 0; i < parts->map_count; i++) {
        gt_map_expressions(&parts->maps[i], gt_axes_add, &parts->geometry_axes);
    }
    template->work.place = template->work.stated ? template->work.place : parts->kernel.place;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        template->axes[i].in_source = is_in_source(parts, template, i);
    }
}

gputune_status gt_template_identify(gt_parse *parse, const gt_reader *reader)
{
    note_axes(parse);
    GT_TRY(gt_axes_check(parse));
    return make_hashes(parse, reader);
}
