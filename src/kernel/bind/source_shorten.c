/* Shortens a generated source for readers: removes the parts of the prelude that are not used. */
#include "kernel/bind/source.h"

#include "kernel/text/reach.h"

#include "base/array.h"
#include "base/text.h"

#include <string.h>

typedef struct line {
    const char *text;
    size_t length;
    bool is_kept;
    bool is_basic; /* true for a declaration that nvcc already contains and NVRTC does not */
} line;

typedef GT_ARRAY(line) line_list;

static const char define[] = "#define ";

static bool begins_with(const line *at, const char *word)
{
    return at->length >= strlen(word) && memcmp(at->text, word, strlen(word)) == 0;
}

static bool is_blank(const line *at)
{
    return strspn(at->text, " \t\r") >= at->length;
}

static bool is_used_below(const line_list *lines, size_t above, const gt_token *name)
{
    for (size_t i = above + 1; i < lines->count; i++) {
        gt_lexer lexer = gt_lexer_on(lines->items[i].text, lines->items[i].length);
        if (!lines->items[i].is_kept || lines->items[i].length < name->length) {
            continue;
        }
        for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
            if (gt_token_equals(&lexer.token, name)) {
                return true;
            }
        }
    }
    return false;
}

static bool read_define(gt_lexer *value, const line *at, gt_token *name)
{
    if (!begins_with(at, define)) {
        return false;
    }
    *value = gt_lexer_on(at->text + strlen(define), at->length - strlen(define));
    *name = value->token;
    gt_lexer_next(value);
    return true;
}

static gputune_status split_lines(line_list *out, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        line at = {.text = text, .length = length};
        at.is_kept = !begins_with(&at, "#line ") && !begins_with(&at, "#pragma once");
        GT_TRY(gt_array_push(out, at));
    }
    return GPUTUNE_OK;
}

/* Drops unneeded lines among the first `count` lines, in reverse order: macros and declarations of
 * std that no later line uses, empty #if blocks, and comments above dropped lines. */
static void drop_unused(line_list *lines, size_t count)
{
    const gt_token std = gt_token_of("std");
    size_t end = 0; /* index of the #endif that was read last */
    bool is_in_std = false, has_content = true;
    for (size_t i = count; i-- > 0;) {
        line *at = &lines->items[i];
        gt_token name;
        gt_lexer value;
        if (begins_with(at, "#endif")) {
            end = i;
            has_content = false;
        } else if (begins_with(at, "#if")) {
            for (size_t k = i; k <= end && !has_content; k++) {
                lines->items[k].is_kept = false;
            }
            has_content = true;
        } else if (begins_with(at, "//")) {
            at->is_kept = i + 1 < count && at[1].is_kept && !is_blank(&at[1]);
        } else if (read_define(&value, at, &name)) {
            at->is_kept = is_used_below(lines, i, &name);
            has_content |= at->is_kept;
        } else {
            is_in_std |= begins_with(at, "} // namespace std");
            at->is_kept &= !is_in_std || is_used_below(lines, count - 1, &std);
            is_in_std &= !begins_with(at, "namespace std");
            has_content |= at->is_kept && !is_blank(at) && at->text[0] != '#';
        }
    }
}

static void mark_basics(line_list *lines)
{
    size_t i = 0;
    while (i < lines->count && !begins_with(&lines->items[i], define)) {
        i++;
    }
    for (i++; i < lines->count && !begins_with(&lines->items[i], "// ----"); i++) {
        lines->items[i].is_basic = true;
    }
}

/* Sets *value to the text of a macro in its last #define above `at`. Returns that line, or NULL. */
static const line *find_define(gt_lexer *value, const line_list *lines, const line *at,
                               const gt_token *name)
{
    while (at-- > lines->items) {
        gt_token own;
        if (read_define(value, at, &own) && gt_token_equals(&own, name)) {
            return at;
        }
    }
    return NULL;
}

/* Writes the text of a #pragma in line `at` with its macros expanded, because nvcc does not expand
 * macros in it. */
static void write_expanded(gt_text *out, const line_list *lines, const line *at, gt_lexer text)
{
    const char *from = text.token.text;
    for (; text.token.kind != GT_TOKEN_END; gt_lexer_next(&text)) {
        gt_lexer value;
        const line *definition = find_define(&value, lines, at, &text.token);
        if (definition) {
            gt_text_append_bytes(out, from, (size_t)(text.token.text - from));
            write_expanded(out, lines, definition, value);
            from = text.token.text + text.token.length;
        }
    }
    gt_text_append_bytes(out, from, (size_t)(text.end - from));
}

static void write_lines(gt_text *out, const line_list *lines)
{
    bool is_basic = false, was_blank = true;
    for (size_t i = 0; i < lines->count; i++) {
        const line *at = &lines->items[i];
        const bool blank = is_blank(at);
        if (!at->is_kept || (blank && (was_blank || is_basic))) {
            continue;
        }
        if (!blank && at->is_basic != is_basic) {
            is_basic = at->is_basic;
            gt_text_append(out, is_basic ? "#ifdef __CUDACC_RTC__\n"
                                         : "#else\n#include <cstdint>\n#endif\n\n");
        }
        const size_t indent = strspn(at->text, " \t");
        const line inner = {.text = at->text + indent, .length = at->length - indent};
        if (!blank && begins_with(&inner, "#pragma ")) {
            gt_text_append_bytes(out, at->text, indent);
            write_expanded(out, lines, at, gt_lexer_on(inner.text, inner.length));
        } else if (!blank) {
            gt_text_append_bytes(out, at->text, at->length);
        }
        gt_text_append(out, "\n");
        was_blank = blank;
    }
}

gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude)
{
    GT_FREED char *names = NULL;
    GT_FREED char *cut = NULL;
    GT_SCOPED(gt_text_free) gt_text shown = {0};
    line_list lines = {0};
    const char *code = strstr(source->text, prelude) + strlen(prelude);
    GT_TRY(gt_strdup(&names, code));
    /* replace each # by a blank, so the names in directives are found, too */
    for (char *at = names; (at = strchr(at, '#')); *at = ' ') {
    }
    GT_TRY(gt_reach_cut(&cut, prelude, prelude, names));
    gputune_status status = split_lines(&lines, cut);
    const size_t own = lines.count;
    mark_basics(&lines);
    status = status == GPUTUNE_OK ? split_lines(&lines, code) : status;
    if (status == GPUTUNE_OK) {
        drop_unused(&lines, own);
        write_lines(&shown, &lines);
    }
    gt_array_free(&lines);
    GT_TRY(status);
    return gt_text_take(out, &shown);
}
