/* The application whose calls fail in walk.c: what it has, and the scenes of its life. */
#pragma once

#include "gpu/driver.h"

#include <gputune_tools.h>

#include <stdbool.h>

typedef struct application {
    const gt_driver *driver;
    CUcontext context;
    CUdeviceptr x, y;
    gputune *tuner;
    gputune_plan *plan;
    char database[128], file[128];
    unsigned called; /* records and results that a callback got */
    bool crashes;    /* a fault of the GPU comes to pass in a worker: the only variant's, for all
                        that anybody can tell */
} application;
extern application app; /* each process has one */

typedef struct scene {
    const char *name;
    bool filled;          /* the database holds a result from before */
    int (*prepare)(void); /* after the tuner was opened, if `opens` is false */
    int (*act)(void);     /* in which a call fails; a status */
    bool opens;
    bool works; /* workers take part */
} scene;
extern const scene scenes[];
extern const size_t scene_count;

/* Says what is not as it must be, and ends the process with 3. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void need(int status, const char *what);

/* The driver, a context that is current, and two buffers. */
void make_context(void);
int open_tuner(void);

/* Ends the application's life: a failed call has a message, the plan that it has computes what it
 * should, and so do plans of its tuner and of a new one on a database that is whole. */
void expect_well(const scene *s, int status);
/* What is made once in a process, and kept, is made here instead of in the scene. */
void live_before(void);
