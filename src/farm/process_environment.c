/* The environment variables that a worker gets. */
#include "base/text.h"
#include "farm/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prefixes of variables that no worker should see. */
static const char *const unwanted[] = {
    "CUDA_LAUNCH_BLOCKING=",
    "CUDA_INJECTION",
    "NVTX_INJECTION",
    "NV_NSIGHT_INJECTION",
    "COMPUTE_PROFILE",
    "CUDA_PROFILE",
    "CUDA_ENABLE_COREDUMP_ON_",
    "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
    "CUDA_ENABLE_CPU_COREDUMP_",
    "CUDA_DEVICE_WAITS_ON_EXCEPTION=",
    "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
};

/* Variables for which the measure worker gets values of its own. */
static const char *const replaced[] = {
    "CUDA_MPS_PIPE_DIRECTORY=",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=",
    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=",
    "CUDA_MPS_CLIENT_PRIORITY=",
};

static bool begins(const char *variable, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

#define BEGINS(variable, list) begins(variable, list, sizeof(list) / sizeof *(list))

static bool kept(const char *variable, bool measure, const char *device)
{
    if (BEGINS(variable, unwanted)) {
        return false;
    }
    if (!measure) {
        return true;
    }
    return !BEGINS(variable, replaced) &&
           !(device && strncmp(variable, "CUDA_VISIBLE_DEVICES=", 21) == 0);
}

/* The strings one after another, their addresses in front. */
static gputune_status pack(char ***out, const gt_text *strings, size_t count)
{
    char **list = malloc((count + 1) * sizeof *list + strings->length);
    if (!list || strings->failed) {
        free(list);
        return gt_fail_memory();
    }
    char *at = (char *)(list + count + 1);
    if (strings->length) {
        memcpy(at, strings->data, strings->length);
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = at;
        at += strlen(at) + 1;
    }
    list[count] = NULL;
    *out = list;
    return GPUTUNE_OK;
}

gputune_status gt_process_environment(char ***out, bool measure, const char *device)
{
    GT_SCOPED(gt_text_free) gt_text strings = {0};
    size_t count = 0;
    for (char **variable = environ; variable && *variable; variable++) {
        if (kept(*variable, measure, device)) {
            gt_text_append_bytes(&strings, *variable, strlen(*variable) + 1);
            count++;
        }
    }
    if (measure) {
        static const char nowhere[] = "CUDA_MPS_PIPE_DIRECTORY=/nonexistent/gputune";
        gt_text_append_bytes(&strings, nowhere, sizeof nowhere);
        count++;
    }
    if (measure && device) {
        gt_text_printf(&strings, "CUDA_VISIBLE_DEVICES=%s", device);
        gt_text_append_bytes(&strings, "", 1);
        count++;
    }
    return pack(out, &strings, count);
}

gputune_status gt_process_visible(char **out, int ordinal)
{
    const char *entry = getenv("CUDA_VISIBLE_DEVICES");
    *out = NULL;
    if (!entry) {
        char number[16];
        snprintf(number, sizeof number, "%d", ordinal);
        return gt_strdup(out, number);
    }
    for (int i = 0; i < ordinal; i++) {
        size_t length = strcspn(entry, ",");
        if (!entry[length]) {
            return GPUTUNE_OK;
        }
        entry += length + 1;
    }
    entry += strspn(entry, " ");
    size_t length = strcspn(entry, ", ");
    return length ? gt_strndup(out, entry, length) : GPUTUNE_OK;
}
