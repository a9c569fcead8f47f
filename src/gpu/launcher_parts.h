/* The declarations that launcher*.c share. */
#pragma once

#include "base/array.h"
#include "gpu/driver.h"
#include "gpu/launcher.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GT_LAUNCHER_SLOTS = 8, GT_LAUNCHER_ATTRIBUTES = 6 };

/* The objects of a launcher that only one stream at a time may use: a module with its own
 * __constant__ symbols, the device buffers of blocks, scratch buffers by parameter, and arrays with
 * their textures. */
typedef struct gt_instance {
    CUmodule module;
    CUfunction functions[GT_STEPS_MAX]; /* of the launch's kernels, in order */
    CUdeviceptr blocks[GT_BLOCK_MAX]; /* to where the copied part of each block goes: its symbol, or
                                         with `global` a buffer; 0: nowhere */
    unsigned owned_blocks;            /* bit i: blocks[i] is a buffer that the instance owns */
    CUdeviceptr scratch[GT_PARAMETER_MAX];
    CUarray arrays[GT_TEXTURE_MAX]; /* of the launch's textures; NULL: that one reads a buffer */
    CUtexObject textures[GT_TEXTURE_MAX];
    uint32_t guard_bytes; /* in front of each scratch buffer and behind it */
    bool owns_module;
} gt_instance;

/* The state of one stream in a launcher: an instance, and staging memory for pass blocks on their
 * way to the device. */
typedef struct gt_stream_state {
    pthread_mutex_t lock;      /* over everything below, and over the calls of one launch */
    atomic_uint_least64_t key; /* key of the stream that uses this state; 0: the state is free.
                                  Changes only under the launcher's lock */
    atomic_uintptr_t stream; /* the stream's handle at its latest launch; during a capture a driver
                                may refuse to tell the id */
    gt_instance instance;
    bool ready;     /* instance, staging and events are made */
    bool copied;    /* the instance holds a block */
    bool must_wait; /* the state was taken from another stream: wait for `last` first */
    uint8_t *staging;
    CUevent events[GT_LAUNCHER_SLOTS]; /* each is recorded behind the slot's last launch */
    bool used[GT_LAUNCHER_SLOTS];
    unsigned next;
    CUevent last; /* recorded behind the latest launch; NULL before any */
} gt_stream_state;

/* Something that graphs use as long as they live, and that their launcher uses too. Its last holder
 * ends it. */
typedef struct gt_held {
    const gt_driver *driver;
    gt_context context;
    atomic_uint holders; /* how many hold it: the launcher, and each graph */
    void (*end)(struct gt_held *held,
                bool alive); /* frees it; `alive`: its context exists and is current */
    struct gt_held *next;    /* the next one that has no launcher any more */
} gt_held;

/* The state of one stream within one capture, which the launcher keeps as long as the graph lives.
 * Once the graph is gone, the launcher may use the state for another graph. */
typedef struct gt_graph_state {
    gt_held held; /* the first member: one address for both */
    struct gt_graph_state *next;
    uint64_t capture, key;
    gt_instance instance;
    GT_ARRAY(void *) staging; /* pinned host memory, one buffer for each captured launch */
    size_t used;              /* staging buffers that the present graph uses */
} gt_graph_state;

/* One kernel of the launch, without its function, which is in the instance. */
typedef struct gt_launcher_kernel {
    const char *symbol; /* its name in the image; the module's */
    CUlaunchAttribute attributes[GT_LAUNCHER_ATTRIBUTES];
    CUlaunchConfig config; /* without the stream and the address of the level-2 window */
} gt_launcher_kernel;

/* A texture object. A launcher makes one for each address and keeps it as long as launches may use
 * it. */
typedef struct gt_texture_object {
    CUtexObject object;
    CUdeviceptr address;
    uint32_t texture; /* index into the launch's textures */
} gt_texture_object;
typedef GT_ARRAY(gt_texture_object) gt_texture_objects;

/* The module and the texture objects of a launcher, which graphs hold too. */
typedef struct gt_held_module {
    gt_held held; /* the first member: one address for both */
    gt_module *module;
    gt_texture_objects textures; /* protected by the launcher's texture_lock */
} gt_held_module;

/* The members that a direct launch reads are together: from the end of `only` to the beginning of
 * `base`. */
struct gt_launcher {
    gt_launcher_kernel only; /* the kernel, if the launch has only one */
    const gt_driver *driver;
    bool is_direct;    /* a launch passes the caller's arguments on as they are, and no more */
    bool needs_state;  /* each stream needs a state, because there is a pass copy, scratch or an
                          array */
    bool needs_module; /* a block is constant or split: each state has a module of its own */
    gt_instance base;  /* the base module and its functions; nothing else of it is used */
    gt_context context;
    const gt_device *device;     /* the caller's */
    const gt_launch *launch;     /* the caller's */
    gt_image image;              /* kept only where further instances may be loaded */
    gt_launcher_kernel *kernels; /* the kernels of a pipeline; else it points to `only` */
    bool has_l2;            /* counted among the users of the level-2 cache that is set aside */
    size_t slot_bytes;      /* bytes of staging memory that a launch needs; 0: it copies nothing */
    atomic_bool base_taken; /* the base module was given to a state */
    pthread_mutex_t lock;   /* protects keys and graph states; taken before the lock of a state */
    pthread_mutex_t clear_lock;
    pthread_mutex_t texture_lock; /* taken last */
    gt_stream_state *states;      /* an array of GT_LAUNCHER_STREAMS where needs_state; else NULL */
    unsigned next_victim;
    uint32_t guard_bytes; /* around each scratch buffer */
    gt_graph_state *graph_states;
    gt_held_module *held;  /* the base module and the launcher's textures */
    uint64_t held_capture; /* the id of the capture whose graph was the last to hold them */
};

/* ---- launcher_load.c: what is on the device; in the launcher's context, relaxed ---- */

/* Drops a reference; `alive`: the module's context exists and is current. NULL is allowed. */
void gt_module_drop(gt_module *module, bool alive);
/* Makes an instance for one stream: a module of its own if it needs one, buffers, scratch and
 * arrays. */
gputune_status gt_instance_make(gt_instance *out, gt_launcher *launcher);
void gt_instance_free(gt_instance *instance, const gt_driver *driver);

/* ---- launcher.c ---- */

/* The staging memory that a copied part of `bytes` bytes takes: rounded up to 256 bytes. */
static inline size_t gt_staged_bytes(uint32_t bytes)
{
    return ((size_t)bytes + 255) & ~(size_t)255;
}
/* Writes the parts of the blocks that are copied to the device into `to`, slot_bytes of staging
 * memory. */
void gt_launcher_stage(uint8_t *to, const gt_launcher *launcher, const void *const *arguments);
/* Queues on `stream` the clears, the copies from `staged` (NULL: none) and the kernels. */
gputune_status gt_launcher_queue(gt_launcher *launcher, const gt_instance *instance,
                                 CUstream stream, const void *const *arguments, const void *staged);

/* Makes a texture object that reads the buffer at `address`, or `array` where it is not NULL. */
gputune_status gt_texture_make(CUtexObject *out, const gt_launcher *launcher,
                               const gt_texture *texture, CUdeviceptr address, CUarray array);
/* ---- launcher_stream.c ---- */

/* The facts of a stream that a launch with per-stream state reads first. */
typedef struct gt_stream_facts {
    CUstream stream;
    uint64_t key; /* names the stream; never 0 */
    bool capturing;
    cuuint64_t capture; /* the id of the capture, and its graph */
    CUgraph graph;
} gt_stream_facts;

/* Launches on a stream that is not being captured. `copy`: copies the block first. */
gputune_status gt_stream_launch(gt_launcher *launcher, const gt_stream_facts *facts,
                                const void *const *arguments, bool copy);
/* Captures a launch without a copy of the block. The launch uses the instance that served this
 * stream outside the capture. */
gputune_status gt_stream_capture(gt_launcher *launcher, CUstream stream,
                                 const void *const *arguments);
/* As gt_launcher_scratch(), for a parameter that is scratch memory. */
gputune_status gt_stream_scratch(CUdeviceptr *out, gt_launcher *launcher,
                                 const gt_stream_facts *facts, uint32_t parameter);
/* Waits for the state's launches, then releases what the state owns. In the launcher's context. */
void gt_stream_state_free(gt_stream_state *state, const gt_driver *driver);

/* Makes launcher->held, without a module. ENOMEM. */
gputune_status gt_held_module_make(gt_launcher *launcher);
/* Makes the graph of a capture hold the module and the launcher's textures, if launches in the
 * graph use them. The caller holds the launcher's lock. */
gputune_status gt_module_hold(gt_launcher *launcher, const gt_stream_facts *facts);

/* Captures a launch, with an instance that belongs to the graph. */
gputune_status gt_graph_launch(gt_launcher *launcher, const gt_stream_facts *facts,
                               const void *const *arguments);
/* Releases the launcher's graph states, module and textures; `alive`: what they have on the device
 * too, since their context exists and is current. Objects that a graph still uses live on. */
void gt_graphs_leave(gt_launcher *launcher, bool alive);
/* Frees modules and states that outlived their launcher because graphs held them, once no graph
 * does. May be called in any context. */
void gt_graph_orphans_collect(void);
