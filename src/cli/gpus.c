/* Opens a tuner for each GPU of a run. */
#include "cli/gpus.h"

#include "cli/console.h"

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

static int take_device(void *user, const gputune_device *device)
{
    add_number(user, device->ordinal);
    return 0;
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

/* "0,2", each of them there, and once. */
static int read_numbers(numbers *out, const char *which, const numbers *all)
{
    for (const char *at = which;; at++) {
        char *end;
        long number = strtol(at, &end, 10);
        bool is_number = end != at && (*end == ',' || !*end);
        if (!is_number || has(out, number)) {
            return cli_stop(
                CLI_EXIT_USAGE,
                "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                which);
        }
        if (!has(all, number)) {
            return cli_stop(
                CLI_EXIT_PLATFORM,
                "--gpus: there is no GPU %ld; 'gputune devices' lists the %zu there are", number,
                all->count);
        }
        add_number(out, (int)number);
        if (!*end) {
            return CLI_CONTINUE;
        }
        at = end;
    }
}

/* Without a GPU, where none was asked for, *common names the emulator. */
static int list_gpus(numbers *out, cli_common *common)
{
    int status = gputune_devices(common->driver, take_device, out);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for(common)) {
        common->driver = "emu";
        status = gputune_devices(common->driver, take_device, out);
        cli_note("no GPU here: using the emulator, whose times are modelled; --driver cuda "
                 "requires a GPU");
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

static int open_gpu(cli_gpus *out, cli_common *common, cli_open_mode mode, int number)
{
    cli_gpu gpu = {.label = NULL};
    common->device = cli_format("%d", number);
    CLI_TRY(cli_open(&gpu.session, common, mode));
    gpu.label = cli_format("GPU %d (%s)", number, gpu.session.device.name);
    out->items = cli_grow(out->items, out->count, sizeof *out->items);
    out->items[out->count++] = gpu;
    return CLI_CONTINUE;
}

static int open_each(cli_gpus *out, cli_common *common, cli_open_mode mode, const numbers *list,
                     bool is_all)
{
    int code = CLI_CONTINUE;
    const cli_list commands = common->compile_on;
    for (size_t i = 0; i < list->count; i++) {
        common->compile_on = share_of_commands(&commands, i, list->count);
        code = open_gpu(out, common, mode, list->items[i]);
        if (code != CLI_CONTINUE && !is_all) {
            cli_gpus_close(out);
            return code;
        }
        if (code != CLI_CONTINUE) {
            cli_note("GPU %d is left out: it cannot be used", list->items[i]);
        }
    }
    return out->count ? CLI_CONTINUE : code;
}

int cli_gpus_open(cli_gpus *out, const cli_common *common, cli_open_mode mode, const char *which)
{
    numbers all = {NULL, 0}, some = {NULL, 0};
    cli_common own = *common;
    *out = (cli_gpus){NULL, 0};
    if (!which) {
        out->items = cli_allocate(1, sizeof *out->items);
        out->count = 1;
        return cli_open(&out->items[0].session, common, mode);
    }
    cli_console_setup(common->quiet, common->verbose);
    bool is_all = strcmp(which, "all") == 0;
    int code = list_gpus(&all, &own);
    if (code == CLI_CONTINUE && !is_all) {
        code = read_numbers(&some, which, &all);
    }
    return code == CLI_CONTINUE ? open_each(out, &own, mode, is_all ? &all : &some, is_all) : code;
}

void cli_gpus_close(cli_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        cli_close(&gpus->items[i].session);
    }
    gpus->count = 0;
}

bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b)
{
    return strcmp(a->session.device.environment, b->session.device.environment) == 0;
}
