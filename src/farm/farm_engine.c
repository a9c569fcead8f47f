/* Workers that a command starts, on another machine or under a batch system. Compile workers are
 * extra: a job goes to one as soon as it has said that it is ready, and comes back to this
 * machine's own workers where that one fails in any way. */
#include "base/clock.h"
#include "farm/farm_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEATHS_MAX = 3, SILENT_S = 60 };

/* ---- opening --------------------------------------------------------------------------------- */

/* The engine of that command, made if it is new. */
static gputune_status find_engine(gt_engine_host **out, gt_compile_host *host, const char *command)
{
    uint32_t at = 0;
    while (at < host->engine_count && strcmp(host->engines[at].command, command) != 0) {
        at++;
    }
    if (at == host->engine_count) {
        char *copy;
        GT_TRY(gt_strdup(&copy, command));
        host->engines[host->engine_count++].command = copy;
    }
    *out = &host->engines[at];
    return GPUTUNE_OK;
}

gputune_status gt_engines_open(gt_compile_host *host, const char *const *commands, uint32_t count)
{
    host->engine_count = 0;
    host->engines = calloc((size_t)count + 1, sizeof *host->engines);
    GT_TRY(gt_allocated(host->engines));
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(find_engine(&host->slots[host->own_count + i].engine, host, commands[i]));
    }
    return GPUTUNE_OK;
}

static void say(gt_host_farm *farm, const gt_engine_host *engine, const char *what, const char *end)
{
    gt_log_line(&farm->log, GPUTUNE_LOG_WARNING, "compile workers of '%s': %s; %s", engine->command,
                what, end);
}

static void say_silent(gt_host_farm *farm, gt_engine_host *engine, const char *end)
{
    if (engine->start_ns && !engine->has_answered && !engine->told_silent &&
        !engine->told_retired) {
        engine->told_silent = true;
        say(farm, engine, "none has answered", end);
    }
}

void gt_engines_close(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (uint32_t i = 0; i < host->engine_count; i++) {
        say_silent(farm, &host->engines[i],
                   "the work has ended before; does the command keep what it is given, as srun "
                   "without -u?");
        free(host->engines[i].command);
    }
    free(host->engines);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Whether the command's last word is the worker itself, where its path is another one there. */
static bool names_worker(const char *command)
{
    static const char name[] = "gputune-worker";
    size_t length = strlen(command), name_length = sizeof name - 1;
    return length >= name_length && strcmp(command + length - name_length, name) == 0;
}

size_t gt_engine_words(const char **out, const gt_host_farm *farm, const char *command)
{
    size_t count = 0;
    out[count++] = "--command";
    out[count++] = command;
    out[count++] = "--";
    if (!names_worker(command)) {
        out[count++] = farm->worker;
    }
    out[count++] = "--stdio";
    return count;
}

const char *gt_engine_hint(const gt_host_farm *farm, const char *message)
{
    const char *command = farm->measure.command;
    gt_message_set("%s; try: %s %s --version", message, command,
                   names_worker(command) ? "" : farm->worker);
    return gt_message();
}

void gt_engines_start(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (uint32_t i = host->own_count; i < host->slot_count; i++) {
        gt_slot *slot = &host->slots[i];
        int64_t *start_ns = &slot->engine->start_ns;
        if (slot->link.open || slot->is_retired) {
            continue;
        }
        if (gt_compile_start(farm, slot) < 0) {
            gt_engine_retire(farm, slot, gt_message());
        } else {
            *start_ns = *start_ns ? *start_ns : gt_now_ns();
        }
    }
}

/* ---- who takes what -------------------------------------------------------------------------- */

static bool is_of_our_compiler(const gt_compile_host *host, const gt_slot *slot)
{
    return slot->ready && host->nvrtc_version && slot->nvrtc_version == host->nvrtc_version;
}

bool gt_engine_may_take(const gt_compile_host *host, const gt_slot *slot,
                        const gt_farm_request *request)
{
    return !slot->engine || (is_of_our_compiler(host, slot) && !request->doubted);
}

/* What another compiler makes is no answer here. */
static void check_compiler(gt_host_farm *farm, gt_slot *slot)
{
    const gt_compile_host *host = &farm->compile;
    char message[192];
    if (!slot->ready || !host->nvrtc_version || is_of_our_compiler(host, slot)) {
        return;
    }
    int there = slot->nvrtc_version, here = host->nvrtc_version;
    if (there) {
        snprintf(message, sizeof message,
                 "NVRTC is %d.%d there and %d.%d here; install the same, or name it by "
                 "GPUTUNE_NVRTC",
                 there / 1000, there % 1000 / 10, here / 1000, here % 1000 / 10);
    } else {
        snprintf(message, sizeof message,
                 "there is no NVRTC there, or none that fits the driver here; install %d.%d, or "
                 "name it by GPUTUNE_NVRTC",
                 here / 1000, here % 1000 / 10);
    }
    gt_engine_retire(farm, slot, message);
}

void gt_engines_count(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    uint32_t ready = 0;
    for (uint32_t i = host->own_count; i < host->slot_count; i++) {
        gt_engine_host *engine = host->slots[i].engine;
        check_compiler(farm, &host->slots[i]);
        engine->has_answered |= host->slots[i].link.greeted;
        if (engine->start_ns && gt_seconds_since(engine->start_ns) > SILENT_S) {
            say_silent(farm, engine,
                       "still waiting; does the command keep what it is given, as srun without "
                       "-u?");
        }
        ready += is_of_our_compiler(host, &host->slots[i]);
    }
    farm->farm.compile_workers = host->allowed + ready;
}

/* ---- failures -------------------------------------------------------------------------------- */

static void return_jobs(gt_host_farm *farm, gt_slot *slot)
{
    if (slot->queue.count > 0) {
        slot->queue.items[0]->doubted = true; /* it was in hand */
    }
    gt_compile_return_from(&farm->compile, slot, 0);
}

void gt_engine_retire(gt_host_farm *farm, gt_slot *slot, const char *message)
{
    if (!slot->is_retired && !slot->engine->told_retired) {
        slot->engine->told_retired = true;
        say(farm, slot->engine, message, "going on without");
    }
    slot->is_retired = true;
    gt_link_abandon(&slot->link);
    return_jobs(farm, slot);
}

void gt_engine_died(gt_host_farm *farm, gt_slot *slot)
{
    gt_death death;
    bool greeted = slot->link.greeted;
    gt_link_finish(&slot->link, &death, 0.2);
    if (!greeted || ++slot->deaths >= DEATHS_MAX) {
        char message[192];
        snprintf(message, sizeof message, "the worker there %s%s", death.words,
                 greeted ? " again and again" : " before it answered");
        gt_engine_retire(farm, slot, message);
        return;
    }
    if (!slot->engine->told_death) {
        slot->engine->told_death = true;
        char message[192];
        snprintf(message, sizeof message, "the worker there %s", death.words);
        say(farm, slot->engine, message, "its job is compiled here, and it is started again");
    }
    return_jobs(farm, slot);
}

void gt_engine_failed(gt_slot *slot, gt_farm_request *request, const char *message)
{
    request->doubted = true;
    request->failed_on = slot;
    if (!slot->engine->doubt[0]) {
        snprintf(slot->engine->doubt, sizeof slot->engine->doubt, "%s", message);
    }
}

void gt_engine_refuted(gt_host_farm *farm, const gt_farm_request *request)
{
    gt_engine_host *engine = request->failed_on ? request->failed_on->engine : NULL;
    if (engine && !engine->told_doubt) {
        engine->told_doubt = true;
        say(farm, engine, engine->doubt,
            "here the same compiles: the folders that kernels include must be there too");
    }
}
