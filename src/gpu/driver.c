/* Loads drivers, converts CUDA error codes, and makes contexts current. */
#include "gpu/driver.h"

#include "base/condition.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GT_EMULATOR_FILE "libgputune-emu.so"

static gputune_status find_emulator(char **out)
{
    const char *given = gt_environment("GPUTUNE_EMULATOR");
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    if (given) {
        const bool is_folder = gt_file_is_folder(given);
        GT_TRY(gt_format(out, "%s%s", given, is_folder ? "/" GT_EMULATOR_FILE : ""));
        GT_REFUSE(!gt_file_exists(*out), GPUTUNE_ENODRIVER,
                  "no emulator at %s (GPUTUNE_EMULATOR); unset it, or set it to %s", given,
                  GT_EMULATOR_FILE);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_file_find_part(out, &tried, GT_EMULATOR_FILE, R_OK));
    return *out ? GPUTUNE_OK
                : gt_fail(GPUTUNE_ENODRIVER,
                          "the emulator was not found; searched %s; set GPUTUNE_EMULATOR",
                          gt_text_string(&tried));
}

enum { OLDEST_DRIVER = 12000, DRIVERS_MAX = 16 };

static const struct entry {
    const char *symbol;
    int version;
    bool required;
    size_t offset;
} entries[] = {
#define REQUIRED true
#define OPTIONAL false
#define ENTRY(member, symbol, version, need, parameters)                                           \
    {#symbol, version, need, offsetof(gt_driver, member)},
    GT_DRIVER_LIST(ENTRY)
#undef ENTRY
#undef REQUIRED
#undef OPTIONAL
#define EXTRA(member, symbol, type, parameters) {#symbol, 0, false, offsetof(gt_driver, member)},
        GT_EMULATOR_LIST(EXTRA)
#undef EXTRA
};

/* Stores the address of a symbol, or NULL, in a function pointer. POSIX allows this. */
static void find_symbol(void *function, const gt_driver *driver, const char *symbol)
{
    void *address = dlsym(driver->handle, symbol);
    memcpy(function, &address, sizeof address);
}

static gputune_status check_version(gt_driver *driver)
{
    CUresult (*get_version)(int *);
    find_symbol(&get_version, driver, "cuDriverGetVersion");
    GT_REFUSE(!get_version, GPUTUNE_ENODRIVER,
              "%s is not a CUDA driver: it lacks cuDriverGetVersion", driver->name);
    CUresult result = get_version(&driver->version);
    GT_REFUSE(result == CUDA_ERROR_STUB_LIBRARY, GPUTUNE_ENODRIVER,
              "no CUDA driver: libcuda.so.1 is the toolkit's stub; install the NVIDIA driver, or "
              "remove the stubs folder from LD_LIBRARY_PATH");
    GT_REFUSE(result != CUDA_SUCCESS, GPUTUNE_ENODRIVER, "cannot get the version of %s (error %d)",
              driver->name, (int)result);
    GT_REFUSE(driver->version < OLDEST_DRIVER, GPUTUNE_ENODRIVER,
              "the CUDA driver is too old: it supports CUDA %d.%d; gputune needs 12.0 (R525) or "
              "newer; update the driver",
              driver->version / 1000, driver->version % 1000 / 10);
    return GPUTUNE_OK;
}

static gputune_status fill_table(gt_driver *driver)
{
    gt_get_proc_address get;
    find_symbol(&get, driver, "cuGetProcAddress_v2");
    GT_REFUSE(!get, GPUTUNE_ENODRIVER,
              "%s is not a CUDA driver of version 12.0 or later: it lacks cuGetProcAddress_v2",
              driver->name);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *entry = &entries[i];
        void *address = NULL;
        CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
        if (entry->version == 0) { /* version 0 marks a function of the emulator */
            find_symbol((char *)driver + entry->offset, driver, entry->symbol);
            continue;
        }
        CUresult result =
            get(entry->symbol, &address, entry->version, CU_GET_PROC_ADDRESS_DEFAULT, &found);
        bool there = result == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS && address;
        GT_REFUSE(!there && entry->required, GPUTUNE_ENODRIVER,
                  "the driver %s (version %d.%d) lacks %s", driver->name, driver->version / 1000,
                  driver->version % 1000 / 10, entry->symbol);
        address = there ? address : NULL;
        memcpy((char *)driver + entry->offset, &address, sizeof address);
    }
    driver->emulated = driver->EmuProfileName != NULL;
    return GPUTUNE_OK;
}

/* Selects the emulator's profile. Called before the version is read, which depends on it. */
static gputune_status select_profile(const gt_driver *driver, const char *profile)
{
    CUresult (*choose)(const char *);
    const char *(*last_message)(void);
    find_symbol(&choose, driver, "emuSelectProfile");
    find_symbol(&last_message, driver, "emuLastMessage");
    CUresult result = *profile && choose ? choose(profile) : CUDA_SUCCESS;
    GT_REFUSE(result == CUDA_ERROR_ILLEGAL_STATE, GPUTUNE_EINVAL,
              "the emulator already runs with another profile in this process; expected \"%s\"",
              profile);
    if (result == CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    return last_message ? gt_fail(GPUTUNE_EINVAL, "%s", last_message())
                        : gt_fail(GPUTUNE_EINVAL, "the emulator has no profile \"%s\"", profile);
}

static const char forked[] = "CUDA does not work in a child process that was forked after its "
                             "parent used CUDA; start the child by exec (in Python, by spawn)";

static gputune_status init_driver(gt_driver *driver)
{
    CUresult result = driver->Init(0);
    const char *text = "unknown error", *emulator = "";
    if (result != CUDA_SUCCESS) {
        driver->GetErrorString(result, &text);
        emulator = driver->EmuLastMessage ? driver->EmuLastMessage() : "";
    }
    switch (result) {
    case CUDA_SUCCESS:
        driver->started = true;
        return GPUTUNE_OK;
    case CUDA_ERROR_NOT_INITIALIZED:
        return gt_fail(GPUTUNE_EUNSUPPORTED, "%s", forked);
    case CUDA_ERROR_NO_DEVICE:
        return gt_fail(GPUTUNE_ENODRIVER,
                       "there is a CUDA driver (%d.%d), but no GPU that it may use; see "
                       "CUDA_VISIBLE_DEVICES and nvidia-smi",
                       driver->version / 1000, driver->version % 1000 / 10);
    default:
        GT_REFUSE(*emulator, GPUTUNE_ENODRIVER, "the emulator does not start: %s", emulator);
        return gt_fail(GPUTUNE_ENODRIVER,
                       "the CUDA driver does not start: %s (cuInit: %d); see nvidia-smi", text,
                       (int)result);
    }
}

static struct {
    pthread_mutex_t lock;
    gt_driver *drivers[DRIVERS_MAX];
    size_t count;
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

static gputune_status load_driver(gt_driver *driver, const char *name)
{
    GT_FREED char *path = NULL;
    const bool emulated = strcmp(name, "emu") == 0 || strncmp(name, "emu:", 4) == 0;
    const bool is_path = strchr(name, '/') != NULL;
    GT_REFUSE(!emulated && !is_path && strcmp(name, "cuda") != 0, GPUTUNE_EINVAL,
              "unknown driver '%s'; expected cuda, emu, emu:PROFILE or the path of a library",
              name);
    GT_TRY(emulated ? find_emulator(&path) : gt_strdup(&path, is_path ? name : "libcuda.so.1"));
    snprintf(driver->name, sizeof driver->name, "%s", name);
    driver->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!driver->handle) {
        const char *why = dlerror();
        return gt_fail(GPUTUNE_ENODRIVER, "no %s: %s; %s", emulated ? "emulator" : "CUDA driver",
                       why ? why : path,
                       emulated ? "rebuild it"
                                : "install the NVIDIA driver, or use the emulator "
                                  "(GPUTUNE_DRIVER=emu)");
    }
    GT_TRY(select_profile(driver, emulated && name[3] ? name + 4 : ""));
    GT_TRY(check_version(driver));
    return fill_table(driver);
}

static gputune_status load_driver_locked(gt_driver **out, const char *name)
{
    name = name ? name : gt_environment("GPUTUNE_DRIVER");
    name = name && *name ? name : "cuda";
    for (size_t i = 0; i < opened.count; i++) {
        if (strcmp(opened.drivers[i]->name, name) == 0) {
            *out = opened.drivers[i];
            return GPUTUNE_OK;
        }
    }
    GT_REFUSE(opened.count == DRIVERS_MAX || strlen(name) >= sizeof((gt_driver *)0)->name,
              GPUTUNE_EINVAL, "too many drivers in this process, or a path that is too long");
    gt_driver *driver = calloc(1, sizeof *driver);
    GT_TRY(gt_allocated(driver));
    gputune_status status = load_driver(driver, name);
    if (status < 0) {
        free(driver); /* the library stays loaded, because it is not safe to unload a driver */
        return status;
    }
    *out = opened.drivers[opened.count++] = driver;
    return GPUTUNE_OK;
}

gputune_status gt_driver_open(const gt_driver **out, const char *name)
{
    gt_driver *driver;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&opened.lock);
    GT_TRY(load_driver_locked(&driver, name));
    if (!driver->started) {
        GT_TRY(init_driver(driver));
    }
    *out = driver;
    return GPUTUNE_OK;
}

gputune_status gt_driver_probe(int *version, const char *name)
{
    gt_driver *driver;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&opened.lock);
    GT_TRY(load_driver_locked(&driver, name));
    *version = driver->version;
    return GPUTUNE_OK;
}

/* Converts a CUDA result to a status. ECRASHED is used only for errors that a kernel can cause. */
static gputune_status status_of(CUresult result)
{
    static const struct {
        gputune_status status;
        int results[13];
    } rows[] = {
        {GPUTUNE_EDEVMEM, {CUDA_ERROR_OUT_OF_MEMORY}},
        {GPUTUNE_EBUSY, {CUDA_ERROR_DEVICE_UNAVAILABLE}},
        {GPUTUNE_EUNSUPPORTED, {CUDA_ERROR_NOT_INITIALIZED}},
        {GPUTUNE_ENODRIVER,
         {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE}},
        {GPUTUNE_ECRASHED, {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911, 999}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < 13; k++) {
            if (rows[i].results[k] == (int)result) {
                return rows[i].status;
            }
        }
    }
    return GPUTUNE_ECUDA;
}

bool gt_cuda_fatal(CUresult result)
{
    return status_of(result) == GPUTUNE_ECRASHED;
}

gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call)
{
    const char *name = "unknown error", *text = "";
    if (result == CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    if (!driver->GetErrorName || driver->GetErrorName(result, &name) != CUDA_SUCCESS || !name) {
        name = "unknown error";
    }
    if (!driver->GetErrorString || driver->GetErrorString(result, &text) != CUDA_SUCCESS || !text) {
        text = "";
    }
    const char *more = driver->EmuLastMessage ? driver->EmuLastMessage() : "";
    more = result == CUDA_ERROR_NOT_INITIALIZED ? forked : more;
    return gt_fail(status_of(result), "%s: %s (%d)%s%s%s%s", call, name, (int)result,
                   *text ? ": " : "", text, *more ? "; " : "", more);
}

gt_relaxed gt_relaxed_enter(const gt_driver *driver)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool changed = driver->ThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS;
    return (gt_relaxed){driver, changed ? mode : CU_STREAM_CAPTURE_MODE_GLOBAL};
}

void gt_relaxed_leave(const gt_relaxed *relaxed)
{
    CUstreamCaptureMode mode = relaxed->mode;
    relaxed->driver->ThreadExchangeStreamCaptureMode(&mode);
}

gputune_status gt_context_current(gt_context *out, const gt_driver *driver)
{
    gt_context now = {0};
    unsigned long long id;
    GT_CUDA(driver, CtxGetCurrent, &now.handle);
    GT_REFUSE(!now.handle, GPUTUNE_EINVAL,
              "no CUDA context is current in this thread; make one current (cuCtxSetCurrent, or "
              "any call of the CUDA runtime)");
    CUresult code = driver->CtxGetId ? driver->CtxGetId(now.handle, &id) : CUDA_ERROR_NOT_FOUND;
    if (code == CUDA_ERROR_CONTEXT_IS_DESTROYED || code == CUDA_ERROR_INVALID_CONTEXT) {
        return gt_cuda_check(driver, code, "cuCtxGetId");
    }
    now.id = code == CUDA_SUCCESS ? id + 1 : 0;
    *out = now;
    return GPUTUNE_OK;
}

/* Reads the id of the context before pushing the context. If the context was destroyed, reading the
 * id fails, but pushing may succeed and corrupt memory (both on an H200 with driver 13.0). */
gt_context_visit gt_context_enter(const gt_driver *driver, const gt_context *context)
{
    CUcontext current = NULL;
    unsigned long long id;
    bool exists = !context->id ||
                  (driver->CtxGetId(context->handle, &id) == CUDA_SUCCESS && id + 1 == context->id);
    if (!exists || driver->CtxGetCurrent(&current) != CUDA_SUCCESS) {
        return (gt_context_visit){.entered = false};
    }
    bool pushed = current != context->handle;
    if (pushed && driver->CtxPushCurrent(context->handle) != CUDA_SUCCESS) {
        return (gt_context_visit){.entered = false};
    }
    return (gt_context_visit){gt_relaxed_enter(driver), true, pushed};
}

void gt_context_leave(const gt_context_visit *visit)
{
    CUcontext popped;
    if (visit->entered) {
        gt_relaxed_leave(&visit->relaxed);
    }
    if (visit->pushed) {
        visit->relaxed.driver->CtxPopCurrent(&popped);
    }
}
