/* Reads registers, spills and memory out of the assembler's log. */
#include "gpu/ptxas_log.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { STATIC_SHARED_LIMIT = 48 * 1024 };

/* The end of a line: its newline or the NUL. */
static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

/* `needle` within [from, to), or NULL. */
static const char *find(const char *from, const char *to, const char *needle)
{
    return memmem(from, (size_t)(to - from), needle, strlen(needle));
}

/* The number that stands before `unit` in the line, with one blank between; 0 when there is none.
 */
static uint32_t number_before(const char *line, const char *end, const char *unit)
{
    const char *at = find(line, end, unit);
    const char *digits = at;
    while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    return at && digits != at ? (uint32_t)strtoul(digits, NULL, 10) : 0;
}

/* Sums all "N bytes cmem[i]" of a line. */
static uint32_t constant_bytes(const char *line, const char *end)
{
    uint32_t sum = 0;
    const char *at;
    while ((at = find(line, end, " bytes cmem["))) {
        sum += number_before(line, at + strlen(" bytes cmem["), " bytes cmem[");
        line = at + 1;
    }
    return sum;
}

/* Reads one line into the entry that is being described. */
static void read_line(gt_resources *entry, const char *line, const char *end)
{
    entry->spill_bytes += number_before(line, end, " bytes spill stores") +
                          number_before(line, end, " bytes spill loads");
    uint32_t stack = number_before(line, end, " bytes stack frame");
    entry->local_bytes = stack ? stack : entry->local_bytes;
    const char *used = find(line, end, "Used ");
    if (used) {
        entry->registers = number_before(line, end, " registers");
        entry->static_shared_bytes = number_before(line, end, " bytes smem");
        entry->constant_bytes = constant_bytes(line, end);
    }
}

void gt_ptxas_parse(gt_resources *out, const char *log)
{
    gt_resources best = {0}, entry = {0};
    for (const char *line = log; *line; line = *line_end(line) ? line_end(line) + 1 : "") {
        const char *end = line_end(line);
        if (find(line, end, "Compiling entry function")) {
            entry = (gt_resources){0};
        }
        read_line(&entry, line, end);
        if (entry.registers > best.registers) {
            best = entry;
        }
    }
    *out = best;
}

/* The first line with an error in it, or NULL. */
static const char *first_error(const char *log)
{
    static const char *const marks[] = {"error:", "fatal   :", "error   :", "catastrophic error"};
    for (const char *line = log; *line; line = *line_end(line) ? line_end(line) + 1 : "") {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            if (find(line, line_end(line), marks[i])) {
                return line;
            }
        }
    }
    return NULL;
}

static const char *last_line(const char *log)
{
    const char *last = log;
    for (const char *line = log; *line; line = *line_end(line) ? line_end(line) + 1 : "") {
        last = line_end(line) > line ? line : last;
    }
    return last;
}

gputune_status gt_compile_error_line(char **out, const char *log)
{
    const char *line = first_error(log);
    if (!line) {
        gt_resources resources;
        gt_ptxas_parse(&resources, log);
        gt_text text = {0};
        if (resources.static_shared_bytes > STATIC_SHARED_LIMIT) {
            gt_text_printf(&text,
                           "%u bytes of static shared memory; a kernel may have %d, use shared()",
                           resources.static_shared_bytes, STATIC_SHARED_LIMIT);
            return gt_text_take(out, &text);
        }
        line = last_line(log);
    }
    return gt_strndup(out, line, (size_t)(line_end(line) - line));
}
