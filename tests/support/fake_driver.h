/* A driver of functions that only keep books: what was called, in which order, on what. For tests
 * of code that calls the driver, without a GPU. One at a time. Calls may come from
 * several threads; scripts are set before. */
#pragma once

#include "gpu/driver.h"

enum { FAKE_STREAMS = 16, FAKE_DATA_BYTES = 64 };

/* One recorded call. What it means depends on the call: see fake_driver.c. */
typedef struct fake_call {
    const char *name; /* "LaunchKernelEx" */
    CUstream stream;
    uint64_t object; /* module, function, event, address */
    size_t bytes;
    uint8_t data[FAKE_DATA_BYTES]; /* what a copy carried */
    uint64_t parameters[16];       /* a launch's: the first 8 bytes of each */
    const void *pointers[16];      /* and where they were read from */
    CUlaunchConfig config;
    CUlaunchAttribute attributes[6];
    bool relaxed; /* the thread's capture mode at the call */
} fake_call;

typedef struct fake_driver {
    gt_driver table;
    fake_call *calls;
    size_t call_count;
    CUcontext current;
    /* Scripts. */
    CUstreamCaptureStatus capture_status[FAKE_STREAMS]; /* by stream number */
    CUresult capture_result;                            /* of StreamGetCaptureInfo */
    bool events_pending;   /* EventQuery says not ready until EventSynchronize */
    const char *fail_name; /* this call ... */
    CUresult fail_code;    /* ... answers this ... */
    int fail_after;        /* ... after so many successes */
    /* Whether the next call ("driver") answers fail_code, unless freeing needs it; NULL: none does.
     */
    bool (*fails)(const char *what, int unused);
    int parameter_sizes[16]; /* of every kernel, 0 ends */
    int max_threads, clusters, blocks, fixed_shared_bytes;
    bool no_symbol;
    int refused; /* calls that failed without a script */
    /* Books. */
    int live_modules, live_memory, live_host, live_events, live_streams, live_textures, live_arrays;
    CUDA_RESOURCE_DESC resource; /* of the texture object that was made last */
    CUDA_TEXTURE_DESC texture;
    CUDA_ARRAY3D_DESCRIPTOR array; /* made last */
    CUDA_MEMCPY3D copy;            /* queued last */
    uint64_t next_object;
    CUhostFn destroy[64]; /* user objects: callback and argument until the graph is gone */
    void *destroy_user[64];
    size_t user_objects;
} fake_driver;

extern fake_driver fake;

/* Everything as new; context 1 is current; kernels fit. */
void fake_reset(void);
/* Forgets the calls so far. */
void fake_forget(void);
/* How many calls of that name were made since. */
size_t fake_count(const char *name);
/* The nth (from 0) of them; fails the test if there is none. */
const fake_call *fake_find(const char *name, size_t nth);
/* The names in order, joined by blanks; valid until the next use. Calls that only ask are left out.
 */
const char *fake_story(void);
/* The calling thread's capture mode. */
CUstreamCaptureMode fake_mode(void);
/* Streams and contexts by number, from 1. */
CUstream fake_stream(int number);
CUcontext fake_context(int number);
/* What happens some time after all graphs were destroyed. */
void fake_graphs_gone(void);
