/* Shortens a generated source for people: keeps of the prelude only what the kernel uses. */
#include "kernel/bind/source.h"

#include "kernel/text/reach.h"

#include "base/array.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* A line of the source, without its line end. */
typedef struct line {
    const char *text;
    size_t length;
    bool is_prelude;
    bool is_builtin; /* the prelude declares for NVRTC what nvcc has itself */
    bool is_kept;
} line;

typedef GT_ARRAY(line) line_list;

static bool begins_with(const line *at, const char *word)
{
    const size_t length = strlen(word);
    return at->length >= length && memcmp(at->text, word, length) == 0;
}

static bool is_blank(const line *at)
{
    return strspn(at->text, " \t\r") >= at->length;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns true if the line has the name as a whole word. */
static bool has_name(const line *at, const char *name, size_t length)
{
    for (size_t i = 0; i + length <= at->length; i++) {
        const char *found = at->text + i;
        bool begins = i == 0 || !is_name_character(found[-1]);
        bool ends = i + length == at->length || !is_name_character(found[length]);
        if (begins && ends && memcmp(found, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the length of the name that begins here. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_name_character(text[length])) {
        length++;
    }
    return length;
}

static const char define[] = "#define ";

/* Returns true if a kept line uses the name. Comments, #ifndef NAME and #define NAME do not. */
static bool is_used(const line_list *lines, const char *name, size_t length)
{
    bool is = false;
    for (size_t i = 0; i < lines->count && !is; i++) {
        line at = lines->items[i];
        bool is_test = at.is_prelude && (begins_with(&at, "#ifndef ") || begins_with(&at, "//"));
        if (begins_with(&at, define)) {
            size_t own = strlen(define) + name_length(at.text + strlen(define));
            at.text += own;
            at.length -= own;
        }
        is = at.is_kept && !is_test && has_name(&at, name, length);
    }
    return is;
}

/* Splits the text into lines, of which the first `prelude_bytes` bytes are the prelude. */
static gputune_status split(line_list *out, const char *text, size_t prelude_bytes)
{
    bool is_in_std = false;
    for (size_t i = 0, length; text[i]; i += length + (text[i + length] == '\n')) {
        length = strcspn(text + i, "\n");
        line at = {.text = text + i, .length = length, .is_prelude = i < prelude_bytes};
        is_in_std |= at.is_prelude && begins_with(&at, "namespace std {");
        at.is_builtin = is_in_std || (at.is_prelude && begins_with(&at, "typedef "));
        at.is_kept =
            !begins_with(&at, "#line ") && !(at.is_prelude && begins_with(&at, "#pragma once"));
        is_in_std &= !begins_with(&at, "}");
        GT_TRY(gt_array_push(out, at));
    }
    return GPUTUNE_OK;
}

/* Drops the prelude's macros that no kept line uses. Returns true if there was one. */
static bool drop_macros(line_list *lines)
{
    bool any = false;
    for (size_t i = 0; i < lines->count; i++) {
        line *at = &lines->items[i];
        if (at->is_prelude && at->is_kept && begins_with(at, define)) {
            const char *name = at->text + strlen(define);
            at->is_kept = is_used(lines, name, name_length(name));
            any |= !at->is_kept;
        }
    }
    return any;
}

/* Drops a conditional that contains nothing. Returns true if there was one. */
static bool drop_conditional(line_list *lines)
{
    size_t begin = lines->count;
    for (size_t i = 0; i < lines->count; i++) {
        const line *at = &lines->items[i];
        if (!at->is_kept || !at->is_prelude || is_blank(at) || begins_with(at, "//")) {
            continue;
        }
        if (begins_with(at, "#if")) {
            begin = i;
        } else if (begins_with(at, "#endif") && begin < i) {
            for (; begin <= i; begin++) {
                lines->items[begin].is_kept = false;
            }
            return true;
        } else if (!begins_with(at, "#else")) {
            begin = lines->count;
        }
    }
    return false;
}

static void keep_std(line_list *lines, bool is_kept)
{
    for (size_t i = 0; i < lines->count; i++) {
        line *at = &lines->items[i];
        at->is_kept = at->is_builtin && !begins_with(at, "typedef ") ? is_kept : at->is_kept;
    }
}

/* Drops the comments of the prelude that describe nothing that is left. */
static void drop_comments(line_list *lines)
{
    bool is_below_kept = false;
    for (size_t i = lines->count; i-- > 0;) {
        line *at = &lines->items[i];
        if (at->is_prelude && begins_with(at, "//")) {
            at->is_kept = is_below_kept;
        }
        is_below_kept = at->is_kept && !is_blank(at);
    }
}

/* Returns the value that the source defines the name as, in a part of a line; no text: none. */
static line value_of(const line_list *lines, const char *name, size_t length)
{
    line value = {0};
    for (size_t i = 0; i < lines->count && length > 0; i++) {
        const line *at = &lines->items[i];
        const char *own = at->text + strlen(define);
        if (begins_with(at, define) && name_length(own) == length && own[length] == ' ' &&
            memcmp(own, name, length) == 0) {
            value.text = own + length + 1;
            value.length = at->length - strlen(define) - length - 1;
        }
    }
    return value;
}

/* Writes a #pragma with the values of macros in place of their names, which nvcc does not replace.
 */
static void write_pragma(gt_text *out, const line_list *lines, const line *pragma)
{
    for (size_t i = 0, length; i < pragma->length; i += length) {
        const char *name = pragma->text + i;
        length = name_length(name);
        const line value = value_of(lines, name, length);
        length = length ? length : 1;
        gt_text_append_bytes(out, value.text ? value.text : name,
                             value.text ? value.length : length);
    }
}

/* Writes the kept lines, and one empty line in place of several. */
static void write_lines(gt_text *out, const line_list *lines)
{
    bool is_builtin = false, was_blank = true;
    for (size_t i = 0; i < lines->count; i++) {
        line at = lines->items[i];
        bool blank = is_blank(&at);
        if (!at.is_kept || (blank && (was_blank || is_builtin))) {
            continue;
        }
        if (!blank && at.is_builtin != is_builtin) {
            is_builtin = at.is_builtin;
            gt_text_append(out, is_builtin ? "#ifdef __CUDACC_RTC__\n"
                                           : "#else\n#include <cstdint>\n#endif\n\n");
        }
        while (at.length && strchr(" \t\r", at.text[at.length - 1])) {
            at.length--;
        }
        size_t indent = strspn(at.text, " \t");
        at.text += is_builtin ? indent : 0; /* of names that were cut */
        at.length -= is_builtin && !blank ? indent : 0;
        if (strncmp(at.text + indent, "#pragma", strlen("#pragma")) == 0) {
            write_pragma(out, lines, &at);
        } else {
            gt_text_append_bytes(out, at.text, at.length);
        }
        gt_text_append(out, "\n");
        was_blank = blank;
    }
}

/* Returns the code with blanks in place of '#', so a lexer reads the names in directives too. */
static gputune_status copy_names(char **out, const char *code)
{
    GT_TRY(gt_strdup(out, code));
    for (char *at = *out; *at; at++) {
        *at = (char)(*at == '#' ? ' ' : *at);
    }
    return GPUTUNE_OK;
}

gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude)
{
    GT_FREED char *names = NULL;
    GT_FREED char *cut = NULL;
    GT_SCOPED(gt_text_free) gt_text whole = {0};
    GT_SCOPED(gt_text_free) gt_text shown = {0};
    line_list lines = {0};
    const char *code = strstr(source->text, prelude) + strlen(prelude);
    GT_TRY(copy_names(&names, code));
    GT_TRY(gt_reach_cut(&cut, prelude, prelude, names));
    gt_text_append(&whole, cut);
    gt_text_append(&whole, code);
    gputune_status status = split(&lines, gt_text_string(&whole), strlen(cut));
    if (status == GPUTUNE_OK) {
        keep_std(&lines, false);
        keep_std(&lines, is_used(&lines, "std", strlen("std")));
        while (drop_macros(&lines) || drop_conditional(&lines)) {
        }
        drop_comments(&lines);
        write_lines(&shown, &lines);
    }
    gt_array_free(&lines);
    GT_TRY(status);
    return whole.failed ? gt_fail_memory() : gt_text_take(out, &shown);
}
