/* Objects that CUDA graphs use, such as a module or the memory of captured launches. Each graph
 * that uses an object holds it, and so does the object's launcher. The last holder frees it. */
#pragma once

#include "gpu/driver.h"

#include <stdatomic.h>

/* The first member of an object that graphs use. */
typedef struct gt_held {
    const gt_driver *driver;
    gt_context context;
    atomic_uint holders; /* number of graphs that use the object, plus 1 for its launcher */
    /* Frees the object. `alive`: the context exists and is current. */
    void (*end)(struct gt_held *held, bool alive);
    struct gt_held *next; /* link in the list of objects that only graphs hold */
} gt_held;

/* Initialises an object that its launcher holds. */
void gt_held_begin(gt_held *out, const gt_driver *driver, const gt_context *context,
                   void (*end)(gt_held *held, bool alive));
/* Makes a graph hold the object until the graph and all executable graphs made from it are
 * destroyed. */
gputune_status gt_held_give(gt_held *held, CUgraph graph);
/* Ends the launcher's hold, which frees the object unless a graph holds it. `alive`: the context
 * exists and is current. */
void gt_held_leave(gt_held *held, bool alive);
/* Frees the objects that neither a launcher nor a graph holds any more. Works in any context. */
void gt_held_collect(void);
