/* Implements functions of the device runtime: printf(), assert(), malloc() and free(). */
#include "emulator/builtin.h"

#include "emulator/check.h"

#include "base/number.h"

#include <stdio.h>

enum {
    ASSERT = 710,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
    LONGEST_TEXT = 4096,
    LONGEST_SPEC = 32
};

static bool read_generic(const emu_warp *warp, unsigned lane, uint64_t address, void *out,
                         uint32_t bytes)
{
    uint64_t tag = address >> EMU_TAG_SHIFT,
             offset = address & ((UINT64_C(1) << EMU_TAG_SHIFT) - 1);
    const emu_memory *memory = warp->worker->run->launch->memory;
    emu_range range;
    if (tag == EMU_TAG_LOCAL && offset + bytes <= warp->local_bytes)
        memcpy(out, warp->local + (size_t)lane * warp->local_bytes + offset, bytes);
    else if (tag == EMU_TAG_SHARED && offset + bytes <= warp->block->shared_bytes)
        memcpy(out, warp->block->shared + offset, bytes);
    else if (tag == 0 && address != 0 && memory && memory->find(memory->context, address, &range) &&
             range.end - address >= bytes)
        memcpy(out, (const void *)(uintptr_t)address, bytes);
    else
        return false;
    return true;
}

/* Reads a string, truncated to the size of the buffer. Returns false if it cannot be read. */
static bool read_string(const emu_warp *warp, unsigned lane, uint64_t address, char *out,
                        size_t room)
{
    for (size_t i = 0; i + 1 < room; i++) {
        if (!read_generic(warp, lane, address + i, out + i, 1))
            return false;
        if (!out[i])
            return true;
    }
    out[room - 1] = 0;
    return true;
}

static uint64_t read_argument(const emu_warp *warp, const emu_op *op, unsigned lane, uint32_t index,
                              uint32_t bytes)
{
    const emu_call *call = op->extra;
    uint64_t value = 0;
    if (index < call->argument_count)
        memcpy(&value, emu_frame_params(warp->frame, lane) + call->arguments[index], bytes);
    return value;
}

typedef struct output {
    char text[LONGEST_TEXT];
    size_t length;
} output;

/* The variable arguments of printf(). They are adjacent in memory, each aligned to its size. */
typedef struct arguments {
    const emu_warp *warp;
    unsigned lane;
    uint64_t next;
    int count;
    bool failed;
} arguments;

static uint64_t take_argument(arguments *all, uint32_t bytes)
{
    uint64_t value = 0;
    all->next = (all->next + bytes - 1) / bytes * bytes;
    all->failed |= !read_generic(all->warp, all->lane, all->next, &value, bytes);
    all->next += bytes;
    all->count++;
    return value;
}

static void put_text(output *out, const char *text, size_t length)
{
    size_t room = sizeof out->text - out->length;
    length = length < room ? length : room;
    memcpy(out->text + out->length, text, length);
    out->length += length;
}

static void put_string(output *out, const char *spec, arguments *all)
{
    char string[1024], text[1200];
    uint64_t address = take_argument(all, 8);
    if (!read_string(all->warp, all->lane, address, string, sizeof string))
        memcpy(string, "(null)", 7);
    put_text(out, text, (size_t)snprintf(text, sizeof text, spec, string));
}

/* Formats one argument. `spec` is the conversion specification, and `kind` is its last letter. */
static void put_conversion(output *out, const char *spec, char kind, bool is_long, arguments *all)
{
    char text[512];
    int length = 0;
    if (kind == 's') {
        put_string(out, spec, all);
        return;
    }
    if (strchr("aAeEfFgG", kind)) {
        double number;
        uint64_t bits = take_argument(all, 8);
        memcpy(&number, &bits, sizeof number);
        length = gt_snprintf(text, sizeof text, spec, number);
    } else if (kind == 'p') {
        length = snprintf(text, sizeof text, spec, (void *)(uintptr_t)take_argument(all, 8));
    } else if (is_long) {
        length = snprintf(text, sizeof text, spec, (long long)take_argument(all, 8));
    } else {
        length = snprintf(text, sizeof text, spec, (int)take_argument(all, 4));
    }
    put_text(out, text,
             length < 0                     ? 0
             : (size_t)length < sizeof text ? (size_t)length
                                            : sizeof text - 1);
}

/* Copies a conversion specification to `spec` and replaces each star by the value of its argument.
 * Returns the length of the specification in the format string, or 0 if it is invalid. */
static size_t read_conversion(const char *at, char *spec, char *kind, bool *is_long, arguments *all)
{
    size_t length = 1, used = 1;
    spec[0] = '%';
    *is_long = false;
    for (; at[length] && strchr("-+ #0123456789.*hlLzjt", at[length]); length++) {
        if (at[length] == '*')
            used += (size_t)snprintf(spec + used, LONGEST_SPEC - used, "%d",
                                     (int)take_argument(all, 4));
        else if (strchr("lzjt", at[length]))
            *is_long = true;
        else if (at[length] != 'h' && at[length] != 'L')
            spec[used++] = at[length];
        if (used + 5 > LONGEST_SPEC)
            return 0;
    }
    *kind = at[length];
    if (!*kind || !strchr("diouxXcsaAeEfFgGp", *kind))
        return 0;
    if (*is_long && strchr("diouxX", *kind)) {
        spec[used++] = 'l';
        spec[used++] = 'l';
    }
    spec[used++] = *kind;
    spec[used] = 0;
    return length + 1;
}

static void format_text(output *out, const char *text, arguments *all)
{
    while (*text) {
        char spec[LONGEST_SPEC], kind;
        bool is_long;
        size_t plain = strcspn(text, "%");
        put_text(out, text, plain);
        text += plain;
        if (!*text)
            break;
        size_t length = text[1] == '%' ? 0 : read_conversion(text, spec, &kind, &is_long, all);
        if (length)
            put_conversion(out, spec, kind, is_long && strchr("diouxX", kind), all);
        else
            put_text(out, text, 1);
        text += length ? length : text[1] == '%' ? 2 : 1;
    }
}

static void print_lane(emu_warp *warp, const emu_op *op, unsigned lane)
{
    const emu_launch *launch = warp->worker->run->launch;
    char text[LONGEST_TEXT];
    output out = {.length = 0};
    arguments all = {.warp = warp, .lane = lane, .next = read_argument(warp, op, lane, 1, 8)};
    if (!read_string(warp, lane, read_argument(warp, op, lane, 0, 8), text, sizeof text)) {
        emu_raise(warp, op, ILLEGAL_ADDRESS, lane, read_argument(warp, op, lane, 0, 8),
                  "printf with a bad format");
        return;
    }
    format_text(&out, text, &all);
    if (launch->print) {
        pthread_mutex_lock(&warp->worker->run->lock);
        launch->print(launch->print_context, out.text, out.length);
        pthread_mutex_unlock(&warp->worker->run->lock);
    }
    const emu_call *call = op->extra;
    if (call->result_count)
        memcpy(emu_frame_params(warp->frame, lane) + call->results[0], &all.count, 4);
}

static void vprintf_call(emu_warp *warp, const emu_op *op)
{
    EMU_FOR_LANES(lane, warp->mask)
    print_lane(warp, op, lane);
}

static void assert_call(emu_warp *warp, const emu_op *op)
{
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    char what[64] = "?", file[64] = "?";
    read_string(warp, lane, read_argument(warp, op, lane, 0, 8), what, sizeof what);
    read_string(warp, lane, read_argument(warp, op, lane, 1, 8), file, sizeof file);
    emu_raise(warp, op, ASSERT, lane, 0, "%s:%u: assertion `%s' failed", file,
              (unsigned)read_argument(warp, op, lane, 2, 4), what);
}

static void malloc_call(emu_warp *warp, const emu_op *op)
{
    const emu_call *call = op->extra;
    const emu_memory *memory = warp->worker->run->launch->memory;
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint64_t bytes = read_argument(warp, op, lane, 0, 8), address = 0;
        if (memory && memory->allocate)
            address = memory->allocate(memory->context, bytes);
        if (address && warp->worker->check)
            emu_check_allocated(warp->worker->check, address, bytes);
        if (call->result_count)
            memcpy(emu_frame_params(warp->frame, lane) + call->results[0], &address, 8);
    }
}

static void free_call(emu_warp *warp, const emu_op *op)
{
    const emu_memory *memory = warp->worker->run->launch->memory;
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint64_t address = read_argument(warp, op, lane, 0, 8);
        bool known = memory && memory->release && memory->release(memory->context, address);
        if (address && !known) {
            emu_raise(warp, op, LAUNCH_FAILED, lane, 0,
                      "free of 0x%llx, which malloc did not return or which was freed before",
                      (unsigned long long)address);
            return;
        }
        if (address && warp->worker->check)
            emu_check_freed(warp->worker->check, address);
    }
    memset(warp->worker->ranges, 0, sizeof warp->worker->ranges);
}

emu_handler emu_builtin_find(const char *name)
{
    static const struct {
        const char *name;
        emu_handler run;
    } all[] = {{"vprintf", vprintf_call},
               {"__assertfail", assert_call},
               {"malloc", malloc_call},
               {"free", free_call}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].run;
    return NULL;
}
