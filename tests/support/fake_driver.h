/* A fake driver that records its calls, for tests of code that calls the driver, without a GPU.
 * There is only one fake driver. Several threads may call it after its scripts are set. */
#pragma once

#include "gpu/driver.h"

enum { FAKE_STREAMS = 16, FAKE_DATA_BYTES = 64 };

/* A recorded call. The members' meaning depends on the call; see fake_driver.c. */
typedef struct fake_call {
    const char *name; /* "LaunchKernelEx" */
    CUstream stream;
    uint64_t object; /* handle of the module, function or event, or an address */
    size_t bytes;
    uint8_t data[FAKE_DATA_BYTES]; /* copied data */
    uint64_t parameters[16];       /* first 8 bytes of each parameter of a launch */
    const void *pointers[16];      /* addresses of the parameters of a launch */
    CUlaunchConfig config;
    CUlaunchAttribute attributes[6];
    bool relaxed; /* true if the thread was capturing in relaxed mode */
} fake_call;

typedef struct fake_driver {
    gt_driver table;
    fake_call *calls;
    size_t call_count;
    CUcontext current;
    CUstreamCaptureStatus capture_status[FAKE_STREAMS]; /* capture status by stream number */
    CUresult capture_result;                            /* result of StreamGetCaptureInfo */
    bool events_pending;   /* true if events are not ready until EventSynchronize is called */
    const char *fail_name; /* name of the failing call */
    CUresult fail_code;
    int fail_after; /* number of calls that succeed before the failure */
    /* Called with "driver" before each call, except calls that release something. The call fails
     * with fail_code if this function returns true. May be NULL. */
    bool (*fails)(const char *what, int unused);
    int parameter_sizes[16]; /* parameter sizes of every kernel, terminated by 0 */
    int max_threads, clusters, blocks, fixed_shared_bytes;
    bool no_symbol;
    int refused; /* number of calls that failed although no script made them fail */
    /* Records. */
    int live_modules, live_memory, live_host, live_events, live_streams, live_textures, live_arrays;
    CUDA_RESOURCE_DESC resource; /* descriptor of the last created texture object */
    CUDA_TEXTURE_DESC texture;
    CUDA_ARRAY3D_DESCRIPTOR array;
    CUDA_MEMCPY3D copy; /* the last copy */
    uint64_t next_object;
    CUhostFn destroy[64]; /* callbacks of user objects, for fake_graphs_gone() */
    void *destroy_user[64];
    size_t user_objects;
} fake_driver;

extern fake_driver fake;

/* Resets the driver. Context 1 is then current, and all kernels fit on the GPU. */
void fake_reset(void);
void fake_forget(void);
/* Returns the number of objects of every kind that were created and not destroyed. */
int fake_live(void);
/* Returns the number of calls of that name since fake_forget(). */
size_t fake_count(const char *name);
/* Returns the nth (from 0) call of that name since fake_forget(). Fails the test if there is
 * none. */
const fake_call *fake_find(const char *name, size_t nth);
/* Returns the names of the recorded calls in order, separated by blanks. Calls that change nothing
 * are omitted. Valid until the next use. */
const char *fake_story(void);
CUstreamCaptureMode fake_mode(void);
/* Return the stream or context with this number, counted from 1. */
CUstream fake_stream(int number);
CUcontext fake_context(int number);
/* Calls the callbacks of user objects, as the driver does after all graphs are destroyed. */
void fake_graphs_gone(void);
