/* Objects with a reference count, such as a module or the memory of captured launches. An object's
 * launcher and each graph that uses it hold references. It is freed after the last one ended. */
#pragma once

#include "gpu/driver.h"

#include <stdatomic.h>

/* The first member of an object with a reference count. */
typedef struct gt_held {
    const gt_driver *driver;
    gt_context context;
    atomic_uint holders; /* number of graphs that use the object, plus 1 for its launcher */
    /* Frees the object. `alive`: its context exists and is current. */
    void (*end)(struct gt_held *held, bool alive);
    struct gt_held *next; /* next in the list of objects whose launcher was freed */
} gt_held;

/* Initialises an object with one reference, that of its launcher. */
void gt_held_begin(gt_held *out, const gt_driver *driver, const gt_context *context,
                   void (*end)(gt_held *held, bool alive));
/* Adds a reference that ends when the graph and its executable graphs are destroyed. */
gputune_status gt_held_give(gt_held *held, CUgraph graph);
/* Drops the launcher's reference. Frees the object if no graph uses it. `alive`: the object's
 * context exists and is current. */
void gt_held_leave(gt_held *held, bool alive);
/* Frees all objects that have no references. Works in any context. */
void gt_held_collect(void);
