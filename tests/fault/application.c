/* An application that uses gputune on the emulator, and the conditions that must hold after one of
 * its calls has failed. */
#include "application.h"

#include "failing.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1000, CALL_LIMIT_S = 20 };

application app;

void complain(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    failing_end();
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "%s\n", line);
    _exit(3);
}

static void cuda(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        complain("%s: %d", what, (int)code);
    }
}
#define CU(call) cuda(app.driver->call, #call)

void need(int status, const char *what)
{
    if (status < 0) {
        complain("%s: %d: %s", what, status, gputune_error());
    }
}

void make_context(void)
{
    float values[N];
    need(gt_driver_open(&app.driver, "emu:h200"), "the driver");
    CU(DevicePrimaryCtxRetain(&app.context, 0));
    CU(CtxSetCurrent(app.context));
    for (int i = 0; i < N; i++) {
        values[i] = (float)i;
    }
    CU(MemAlloc(&app.x, sizeof values));
    CU(MemAlloc(&app.y, sizeof values));
    CU(MemcpyHtoD(app.x, values, sizeof values));
}

int open_tuner(void)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    options.driver = "emu:h200";
    options.database = app.database;
    options.compile_workers = 1;
    return gputune_open(&app.tuner, &options);
}

static int plan_with(gputune_plan **out, gputune_effort effort)
{
    static const char *const only[] = {"VEC=1,2", "BLOCK=256", "UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.effort = effort;
    options.only = only;
    options.only_count = sizeof only / sizeof *only;
    options.time_limit_s = CALL_LIMIT_S;
    return tune_kernel(out, app.tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
}

static int tune(void)
{
    return plan_with(&app.plan, GPUTUNE_MEASURE);
}

static int look_up(void)
{
    return plan_with(&app.plan, GPUTUNE_CACHED_ONLY);
}

static int launch_with(gputune_plan *plan)
{
    float a = 2;
    size_t n = N;
    return gputune_launch(plan, NULL, GPUTUNE_ARGS(&app.y, &app.x, &a, &n));
}

static int launch(void)
{
    return launch_with(app.plan);
}

static int count_record(void *user, const gputune_record *record)
{
    app.called += record->kernel != NULL;
    return 0;
}

static int show(void)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = true;
    int status = gputune_records(app.tuner, &filter, count_record, NULL);
    if (status >= 0 && app.called < 2) {
        complain("show: only %u records, and no failure", app.called);
    }
    return status;
}

static int export(void)
{
    return gputune_wisdom_save(NULL, app.tuner, app.file, NULL, false);
}

static int import(void)
{
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    options.keep = true;
    return gputune_wisdom_load(NULL, app.tuner, app.file, &options);
}

static int compare(void)
{
    static const char *const configurations[] = {"VEC=1 BLOCK=256 UNROLL=1",
                                                 "VEC=2 BLOCK=256 UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = CALL_LIMIT_S;
    return gputune_run(app.tuner, "axpy", GPUTUNE_SIZES({"n", N}), configurations, 2, &options,
                       count_record, NULL);
}

static int close_tuner(void)
{
    gputune_close(app.tuner);
    app.tuner = NULL;
    return 0;
}

static int nothing(void)
{
    return 0;
}

static int write_wisdom(void)
{
    int status = export();
    if (status >= 0) {
        close_tuner();
        unlink(app.database);
        status = open_tuner();
    }
    return status;
}

const scene scenes[] = {
    {"open", true, nothing, open_tuner, true, false},
    {"open-new", false, nothing, open_tuner, true, false},
    {"miss", false, nothing, tune, false, true},
    {"hit", true, nothing, tune, false, false},
    {"look-up", false, nothing, look_up, false, true},
    {"launch", true, look_up, launch, false, false},
    {"show", true, nothing, show, false, false},
    {"compare", true, nothing, compare, false, true},
    {"export", true, nothing, export, false, false},
    {"import", true, write_wisdom, import, false, false},
    {"close", true, look_up, close_tuner, false, false},
};
const size_t scene_count = sizeof scenes / sizeof *scenes;

static void expect_computed(gputune_plan *plan, const char *when)
{
    float values[N];
    for (int i = 0; i < N; i++) {
        values[i] = 1;
    }
    CU(MemcpyHtoD(app.y, values, sizeof values));
    need(launch_with(plan), when);
    CU(CtxSynchronize());
    CU(MemcpyDtoH(values, app.y, sizeof values));
    for (int i = 0; i < N; i++) {
        if (values[i] != 1 + 2 * (float)i) {
            complain("%s: element %d is %g", when, i, (double)values[i]);
        }
    }
}

/* Returns true if the message says that a variant is not launched because of a stored failure, and
 * this failure was caused by an emulated GPU fault or a lack of memory, which the emulator reports
 * as a kernel fault. */
static bool is_condemned(const char *message)
{
    return strstr(message, "is not launched, because its stored status is") &&
           (app.crashes || strstr(message, "out of host memory"));
}

static void expect_plan(const char *when)
{
    gputune_plan *plan = NULL;
    int status = plan_with(&plan, GPUTUNE_CACHED_ONLY);
    if (status < 0 && is_condemned(gputune_error())) {
        return;
    }
    need(status, when);
    expect_computed(plan, when);
    gputune_plan_release(plan);
}

static int is_ok(void *user, int columns, char **values, char **names)
{
    *(bool *)user = columns == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

static void expect_whole_database(void)
{
    sqlite3 *database;
    bool whole = false;
    if (access(app.database, F_OK)) {
        return;
    }
    if (sqlite3_open_v2(app.database, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(database, "PRAGMA integrity_check", is_ok, &whole, NULL) != SQLITE_OK ||
        !whole) {
        complain("the database is not whole: %s", sqlite3_errmsg(database));
    }
    sqlite3_close(database);
}

/* Ends the process if the emulator had no memory for a kernel, because the context is lost. */
static void end_if_context_is_lost(void)
{
    if (app.driver->CtxSynchronize() != CUDA_SUCCESS &&
        strstr(app.driver->EmuLastMessage(), "memory")) {
        _exit(0);
    }
}

void expect_well(const scene *s, int status)
{
    end_if_context_is_lost();
    bool still_open = app.tuner != NULL;
    if (status < 0 && s->act != close_tuner && !gputune_error()[0]) {
        complain("status %d, and no message", status);
    }
    if (app.plan && still_open) {
        expect_computed(app.plan, "the plan");
    }
    if (still_open) {
        expect_plan("afterwards, the same tuner");
    }
    gputune_plan_release(app.plan);
    close_tuner();
    expect_whole_database();
    need(open_tuner(), "afterwards, a new tuner");
    expect_plan("afterwards, a new tuner");
    close_tuner();
}

void live_before(void)
{
    snprintf(app.database, sizeof app.database, ":memory:");
    make_context();
    need(open_tuner(), "a life before");
    need(tune(), "a life before");
    expect_plan("a life before");
    gputune_plan_release(app.plan);
    app.plan = NULL;
    close_tuner();
    CU(MemFree(app.x));
    CU(MemFree(app.y));
}
