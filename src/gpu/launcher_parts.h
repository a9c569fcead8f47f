/* What the files of the launcher share. */
#pragma once

#include "base/array.h"
#include "gpu/context.h"
#include "gpu/launcher.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GT_LAUNCHER_SLOTS = 8, GT_LAUNCHER_ATTRIBUTES = 6 };

/* What only one stream at a time may use: a module with its own __constant__ symbols, the device
 * buffers of blocks, scratch buffers by parameter, and arrays with the textures of them. */
typedef struct gt_instance {
    CUmodule module;
    CUfunction functions[GT_STEPS_MAX]; /* of the launch's kernels */
    CUdeviceptr blocks[GT_BLOCK_MAX];   /* where the copied part of each goes: its symbol, or with
                                           `global` a buffer of its own; 0: nowhere */
    unsigned owned_blocks;              /* bit i: blocks[i] is such a buffer */
    CUdeviceptr scratch[GT_PARAMETER_MAX];
    CUarray arrays[GT_TEXTURE_MAX]; /* of the launch's textures; NULL: read from a buffer */
    CUtexObject textures[GT_TEXTURE_MAX];
    uint32_t guard_bytes; /* in front of each and behind it */
    bool owns_module;
} gt_instance;

/* What a launcher keeps for one stream: an instance, and staging memory for pass blocks on their
 * way to the device. */
typedef struct gt_stream_state {
    pthread_mutex_t lock;      /* over everything below, and over the calls of one launch */
    atomic_uint_least64_t key; /* of the stream that has it; 0: free. Changes only under the
                                  launcher's lock */
    atomic_uintptr_t stream;   /* its handle at the latest launch; during a capture a driver may
                                  refuse to give the id */
    gt_instance instance;
    bool ready;     /* instance, staging and events are made */
    bool copied;    /* the instance holds a block */
    bool must_wait; /* taken from another stream: wait for `last` first */
    uint8_t *staging;
    CUevent events[GT_LAUNCHER_SLOTS]; /* the slot's last launch has ended */
    bool used[GT_LAUNCHER_SLOTS];
    unsigned next;
    CUevent last; /* of the latest launch, NULL before any */
} gt_stream_state;

/* What graphs use as long as they live, and their launcher too. */
typedef struct gt_held {
    const gt_driver *driver;
    gt_context context;
    atomic_uint holders; /* the launcher, and each graph */
    void (*end)(struct gt_held *held,
                bool alive); /* frees it; `alive`: its context is, and current */
    struct gt_held *next;    /* of those without a launcher */
} gt_held;

/* What a launcher keeps for one stream within one capture, as long as the graph lives. Without a
 * graph, the launcher may use it for another one. */
typedef struct gt_graph_state {
    gt_held held; /* first */
    struct gt_graph_state *next;
    uint64_t capture, key;
    gt_instance instance;
    GT_ARRAY(void *) staging; /* pinned, one a captured launch */
    size_t used;              /* staging buffers that the present graph uses */
} gt_graph_state;

/* One kernel of the launch, but for its function. */
typedef struct gt_launcher_kernel {
    char *symbol; /* in the image; owned */
    CUlaunchAttribute attributes[GT_LAUNCHER_ATTRIBUTES];
    CUlaunchConfig config; /* but for the stream and the window's address */
} gt_launcher_kernel;

/* A texture object, which is made once for each address and kept as long as launches may use it. */
typedef struct gt_texture_object {
    CUtexObject object;
    CUdeviceptr address;
    uint32_t texture; /* index into the launch's */
} gt_texture_object;
typedef GT_ARRAY(gt_texture_object) gt_texture_objects;

/* A module that graphs hold beside its launcher, and texture objects. */
typedef struct gt_held_module {
    gt_held held;    /* first */
    CUmodule module; /* NULL: the graph's instance has its own */
    gt_texture_objects textures;
} gt_held_module;

/* What a direct launch reads is together: from the end of `only` to the beginning of `base`. */
struct gt_launcher {
    gt_launcher_kernel only; /* of a launch of one kernel */
    const gt_driver *driver;
    bool is_direct;    /* a launch passes the caller's arguments on as they are, and no more */
    bool shares_base;  /* the base module is another launcher's */
    bool needs_state;  /* for each stream: there is a pass copy, scratch or an array */
    bool needs_module; /* constant or split: each state has a module of its own */
    gt_instance base;  /* module and functions only */
    gt_context context;
    gt_device device;
    const gt_launch *launch;     /* the caller's */
    gt_image image;              /* kept only where further instances may be loaded */
    gt_launcher_kernel *kernels; /* of a pipeline; else `only` */
    bool has_l2;                 /* counted among the users of what is set aside */
    size_t slot_bytes;           /* of staging memory that a launch needs; 0: no copy */
    atomic_bool base_taken;      /* the base module was given to a state */
    pthread_mutex_t lock;        /* over keys and graph states; taken before a state's */
    pthread_mutex_t clear_lock;
    pthread_mutex_t texture_lock; /* over `textures`; taken last */
    gt_texture_objects textures;
    gt_stream_state *states; /* GT_LAUNCHER_STREAMS where needs_state; else NULL */
    unsigned next_victim;
    uint32_t guard_bytes; /* around each scratch buffer */
    gt_graph_state *graph_states;
    gt_held_module *held;  /* the base module, once a graph holds it; else NULL */
    uint64_t held_capture; /* the capture of the last graph that was made to hold it */
};

/* ---- launcher_instance.c: what is on the device; in the launcher's context, relaxed ---- */

/* Loads the image once more (or the first time), checks it against the launch and sets the
 * attributes: module, functions and symbols of *out. */
gputune_status gt_instance_load(gt_instance *out, const gt_launcher *launcher,
                                const gt_image *image);
/* The same from a module that is loaded already, and that its owner keeps. */
gputune_status gt_instance_attach(gt_instance *out, const gt_launcher *launcher, CUmodule module);
/* An instance for one stream: a module if it needs one, buffers, scratch and arrays. */
gputune_status gt_instance_make(gt_instance *out, gt_launcher *launcher);
void gt_instance_free(gt_instance *instance, const gt_driver *driver);

/* ---- launcher.c ---- */

/* What a copied part of that many bytes takes in staging memory. */
static inline size_t gt_staged_bytes(uint32_t bytes)
{
    return ((size_t)bytes + 255) & ~(size_t)255;
}
/* Writes the parts of the blocks that are copied to slot_bytes of staging memory. */
void gt_launcher_stage(uint8_t *to, const gt_launcher *launcher, const void *const *arguments);
/* Queues clears, the copies from `staged` (NULL: none) and the kernels. */
gputune_status gt_launcher_queue(gt_launcher *launcher, const gt_instance *instance,
                                 CUstream stream, const void *const *arguments, const void *staged);

/* Makes a texture object of the buffer at that address, or of the array. */
gputune_status gt_texture_make(CUtexObject *out, const gt_launcher *launcher,
                               const gt_texture *texture, CUdeviceptr address, CUarray array);
/* Destroys the objects, where their context is `alive` and current, and empties the list. */
void gt_textures_free(gt_texture_objects *objects, const gt_driver *driver, bool alive);

/* ---- launcher_stream.c ---- */

/* Launches on a stream that is not being captured, with or without copying the block. `key` names
 * the stream. */
gputune_status gt_stream_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                                const void *const *arguments, bool copy);
/* Captures a launch without copy, on the instance that served this stream outside the capture. */
gputune_status gt_stream_capture(gt_launcher *launcher, CUstream stream,
                                 const void *const *arguments);
/* Fills the scratch memory of the stream's state. */
gputune_status gt_stream_poison(gt_launcher *launcher, CUstream stream, uint64_t key, uint8_t byte);
/* Waits for the state's launches, then releases what it owns. In the launcher's context. */
void gt_stream_state_free(gt_stream_state *state, const gt_driver *driver);

/* Makes the graph of a capture hold the base module, where launches in it use that one. Under the
 * launcher's lock. */
gputune_status gt_module_hold(gt_launcher *launcher, uint64_t capture, CUgraph graph);
/* The launcher does without its base module from now on. True: graphs hold it, and it is unloaded
 * after them; false: it is the launcher's to unload. Its texture objects go where the module goes.
 */
bool gt_module_leave(gt_launcher *launcher);

/* Captures a launch with an instance that belongs to the graph. */
gputune_status gt_graph_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                               uint64_t capture, CUgraph graph, const void *const *arguments);
/* Releases the launcher's graph states; on the device too, unless its context is gone. Those that a
 * graph still uses live on. */
void gt_graph_states_free(gt_launcher *launcher, bool on_device);
/* Frees what graphs held longer than its launcher, and hold no more. May be called in any context.
 */
void gt_graph_orphans_collect(void);
