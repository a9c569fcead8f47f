/* Opens a tuner for each GPU of a run, and compares how fast the GPUs are. */
#include "cli/gpus.h"

#include "cli/console.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

typedef struct numbers {
    int *items;
    size_t count;
} numbers;

static void add_number(numbers *list, int number)
{
    list->items = cli_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = number;
}

static bool has(const numbers *list, long number)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == number) {
            return true;
        }
    }
    return false;
}

/* "0,2", each once. */
static int read_numbers(numbers *out, const char *which)
{
    for (const char *at = which;; at++) {
        char *end;
        long number = strtol(at, &end, 10);
        bool is_number = end != at && (*end == ',' || !*end) && number >= 0 && number <= INT_MAX;
        if (!is_number || has(out, number)) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                which);
        }
        add_number(out, (int)number);
        if (!*end) {
            return CLI_CONTINUE;
        }
        at = end;
    }
}

/* Without a GPU, where none was asked for, they are the emulator's. */
static int list_gpus(numbers *out, const cli_common *common)
{
    int count = 0, status = gputune_device_count(&count, common->driver);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for(common)) {
        status = gputune_device_count(&count, "emu");
    }
    for (int i = 0; i < count; i++) {
        add_number(out, i);
    }
    return status < 0 ? cli_fail(status) : CLI_CONTINUE;
}

/* ---- compiling elsewhere --------------------------------------------------------------------- */

int cli_compile_on_read(cli_list *commands, const cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        char *end;
        const char *text = texts->items[i];
        long count = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 1;
        bool is_counted = text[0] >= '0' && text[0] <= '9' && *end == ':';
        const char *command = is_counted ? end + 1 : text;
        if (count < 1 || count > 256 || !command[strspn(command, " ")]) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--compile-on: found '%s'; expected COMMAND or N:COMMAND, with N from 1 to "
                "256, as in '8:ssh HOST'",
                text);
        }
        for (long k = 0; k < (is_counted ? count : 1); k++) {
            commands->items = cli_grow(commands->items, commands->count, sizeof(char *));
            commands->items[commands->count++] = command;
        }
    }
    return CLI_CONTINUE;
}

/* Every `count`-th command, from `first` on. */
static cli_list share_of_commands(const cli_list *all, size_t first, size_t count)
{
    cli_list share = {NULL, 0};
    for (size_t i = first; i < all->count; i += count) {
        share.items = cli_grow(share.items, share.count, sizeof(char *));
        share.items[share.count++] = all->items[i];
    }
    return share;
}

/* ---- opening --------------------------------------------------------------------------------- */

void cli_gpus_open_at(cli_gpus *gpus, size_t at)
{
    cli_gpu *gpu = &gpus->items[at];
    cli_common common = *gpus->common;
    common.compile_on = gpu->compile_on;
    gpu->status = cli_open_gpu(&gpu->opened, &common, gpu->number);
    snprintf(gpu->message, sizeof gpu->message, "%s", gpu->status < 0 ? gputune_error() : "");
}

int cli_gpus_take(cli_gpus *gpus, size_t at)
{
    cli_gpu *gpu = &gpus->items[at];
    gpu->session = gpu->opened; /* also where only its device is not known: it is closed then */
    if (gpu->status >= 0) {
        gpu->label = cli_format("GPU %s (%s)", gpu->number, gpu->session.device.name);
        return CLI_CONTINUE;
    }
    cli_error("%s", gpu->message[0] ? gpu->message : gputune_status_text(gpu->status));
    if (gpus->is_all) {
        cli_note("GPU %s is left out: it cannot be used", gpu->number);
    }
    return cli_exit_code(gpu->status);
}

/* Opens the first GPU that can be used; of those that are named, the first. */
static int open_first(cli_gpus *gpus)
{
    int code = CLI_EXIT_PLATFORM;
    for (size_t i = 0; i < gpus->count && code != CLI_CONTINUE; i++) {
        cli_gpus_open_at(gpus, i);
        code = cli_gpus_take(gpus, i);
        gpus->first = i;
        if (!gpus->is_all) {
            break;
        }
    }
    return code;
}

int cli_gpus_open(cli_gpus *out, const cli_common *common, cli_open_mode mode, const char *which)
{
    numbers list = {NULL, 0};
    *out = (cli_gpus){.common = common};
    if (!which) {
        out->items = cli_allocate(1, sizeof *out->items);
        out->count = 1;
        return cli_open(&out->items[0].session, common, mode);
    }
    cli_console_setup(common->quiet, common->verbose);
    out->is_all = strcmp(which, "all") == 0;
    CLI_TRY(out->is_all ? list_gpus(&list, common) : read_numbers(&list, which));
    out->items = cli_allocate(list.count + 1, sizeof *out->items);
    for (; out->count < list.count; out->count++) {
        out->items[out->count] =
            (cli_gpu){.number = cli_format("%d", list.items[out->count]),
                      .compile_on = share_of_commands(&common->compile_on, out->count, list.count)};
    }
    int code = open_first(out);
    if (code != CLI_CONTINUE) {
        cli_gpus_close(out);
        return code;
    }
    cli_say_emulated(&out->items[out->first].session, common);
    return CLI_CONTINUE;
}

void cli_gpus_close(cli_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        cli_gpu *gpu = &gpus->items[i];
        cli_close(gpu->number ? &gpu->opened : &gpu->session);
    }
    gpus->count = 0;
}

bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b)
{
    return strcmp(a->session.device.environment, b->session.device.environment) == 0;
}

/* Two GPUs of a kind at the same clock differ by less than 1%; a winner is often ahead by less than
 * 5%. */
#define EQUAL 1.05

bool cli_gpus_is_usable(const cli_gpu *gpu)
{
    return !gpu->is_out && !gpu->is_slow && !gpu->is_in_doubt;
}

/* The usable GPUs of one kind whose pace is known. */
typedef struct equals {
    const cli_gpu *first, *fastest, *slowest; /* NULL: there are none */
    size_t count;
} equals;

static equals find_equals(const cli_gpus *gpus, const cli_gpu *like)
{
    equals found = {0};
    for (size_t i = 0; i < gpus->count; i++) {
        const cli_gpu *gpu = &gpus->items[i];
        double ns = gpu->pace.launch_ns;
        if (!cli_gpus_is_usable(gpu) || !(ns > 0) || !cli_gpus_are_equal(gpu, like)) {
            continue;
        }
        found.first = found.first ? found.first : gpu;
        found.fastest = found.count && found.fastest->pace.launch_ns <= ns ? found.fastest : gpu;
        found.slowest = found.count && found.slowest->pace.launch_ns >= ns ? found.slowest : gpu;
        found.count++;
    }
    return found;
}

char *cli_gpus_slower(const cli_gpus *gpus, const cli_gpu *gpu)
{
    const cli_gpu *fastest = find_equals(gpus, gpu).fastest;
    const gputune_pace *pace = &gpu->pace;
    if (!fastest || pace->launch_ns <= EQUAL * fastest->pace.launch_ns) {
        return NULL;
    }
    return cli_format(
        "the same launch takes %.2f times as long there as on %s%s%s%s; see nvidia-smi",
        pace->launch_ns / fastest->pace.launch_ns, fastest->label,
        pace->throttled ? ", its clocks are held back by heat, power or the hardware" : "",
        pace->shared ? ", it is used by " : "", pace->other);
}

bool cli_gpus_has_equal(const cli_gpus *gpus, const cli_gpu *gpu)
{
    size_t count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        count += cli_gpus_are_equal(&gpus->items[i], gpu);
    }
    return count > 1;
}

bool cli_gpus_say_equal(const cli_gpus *gpus, const cli_gpu *like)
{
    equals found = find_equals(gpus, like);
    double least = found.count ? found.fastest->pace.launch_ns : 0;
    double most = found.count ? found.slowest->pace.launch_ns : 0;
    bool equal = found.count > 1 && most <= EQUAL * least;
    if (equal) {
        cli_note("%zu GPUs like %s are equal: the same launch takes %.1f us, and %.1f%% longer on "
                 "the slowest",
                 found.count, found.first->label, least * 1e-3, 100 * (most / least - 1));
    }
    return equal;
}
