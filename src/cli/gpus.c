/* Opens a tuner for each GPU of a run. */
#include "cli/gpus.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

static bool has(const cli_gpus *gpus, long number)
{
    for (size_t i = 0; i < gpus->count; i++) {
        if (gpus->items[i].number == number) {
            return true;
        }
    }
    return false;
}

/* "0,2", each once. */
static int read_numbers(cli_gpus *gpus, const char *which)
{
    for (const char *at = which;; at++) {
        long number = cli_take_number(&at, INT_MAX);
        bool is_number = number >= 0 && (*at == ',' || !*at);
        CLI_REFUSE(!is_number || has(gpus, number) || gpus->count == CLI_GPUS_MOST, CLI_EXIT_USAGE,
                   "--gpus: found '%s'; expected 'all', or numbers of GPUs, each once, as in 0,2",
                   which);
        gpus->items[gpus->count++].number = (int)number;
        if (!*at) {
            return CLI_CONTINUE;
        }
    }
}

/* Without a GPU, where none was asked for, they are the emulator's. */
int cli_gpus_count(int *out)
{
    *out = 0;
    int status = gputune_device_count(out, cli_given.driver);
    if (status == GPUTUNE_ENODRIVER && !cli_is_driver_asked_for()) {
        status = gputune_device_count(out, "emu");
    }
    return status;
}

void cli_gpus_add(cli_gpus *gpus, int counted)
{
    gpus->is_counted = true;
    for (; gpus->is_all && (int)gpus->count < counted && gpus->count < CLI_GPUS_MOST;
         gpus->count++) {
        gpus->items[gpus->count].number = (int)gpus->count;
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

int cli_gpus_open_at(cli_session *out, const cli_gpus *gpus, size_t at)
{
    const cli_gpu *gpu = &gpus->items[at];
    char number[16];
    snprintf(number, sizeof number, "%d", gpu->number);
    return cli_open_gpu(out, number);
}

int cli_gpus_take(cli_gpus *gpus, size_t at, const cli_session *opened, int status)
{
    cli_gpu *gpu = &gpus->items[at];
    gpu->session = *opened; /* also where only its device is not known: it is closed then */
    if (status >= 0) {
        gpu->label = cli_format("GPU %d (%s)", gpu->number, gpu->session.device.name);
        return CLI_CONTINUE;
    }
    int code = cli_fail(status);
    if (gpus->is_all) {
        cli_note("GPU %d is left out: it cannot be used", gpu->number);
    }
    return code;
}

/* Opens the first GPU that can be used; of those that are named, the first. The GPUs of "all" are
 * counted later if GPU 0 can be used, because that takes time, too. */
static int open_first(cli_gpus *gpus)
{
    int code = CLI_EXIT_PLATFORM;
    for (size_t i = 0; i < gpus->count && code != CLI_CONTINUE; i++) {
        cli_session opened;
        int status = cli_gpus_open_at(&opened, gpus, i);
        code = cli_gpus_take(gpus, i, &opened, status);
        gpus->first = i;
        if (status < 0 && !gpus->is_counted) {
            int counted = 0;
            (void)cli_gpus_count(&counted); /* why GPU 0 cannot be used has been said */
            cli_gpus_add(gpus, counted);
        }
        if (!gpus->is_all) {
            break;
        }
    }
    return code;
}

static int list_gpus(cli_gpus *gpus, const char *which)
{
    gpus->is_all = strcmp(which, "all") == 0;
    gpus->is_counted = !gpus->is_all;
    if (!gpus->is_all) {
        CLI_TRY(read_numbers(gpus, which));
    } else {
        gpus->count = 1;
    }
    return CLI_CONTINUE;
}

int cli_gpus_open(cli_gpus *out, cli_open_mode mode, const char *which)
{
    *out = (cli_gpus){.items = cli_allocate(CLI_GPUS_MOST, sizeof(cli_gpu))};
    if (!which) {
        out->count = 1;
        out->is_counted = out->is_only = true;
        return cli_open(&out->items[0].session, mode);
    }
    CLI_TRY(list_gpus(out, which));
    CLI_TRY(open_first(out));
    cli_say_emulated(&out->items[out->first].session);
    return CLI_CONTINUE;
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

bool cli_gpus_is_usable(const cli_gpu *gpu)
{
    return !gpu->is_out && !gpu->is_in_doubt;
}
