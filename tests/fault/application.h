/* The application in which walk.c makes calls fail: its state and its scenes. */
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
    unsigned called; /* number of records and results passed to callbacks */
    bool crashes;    /* true if a worker has an emulated GPU fault */
} application;
extern application app;

typedef struct scene {
    const char *name;
    bool filled;          /* true if the database contains an earlier result */
    int (*prepare)(void); /* called after opening the tuner, unless `opens` is set */
    int (*act)(void);     /* the part of the scene in which calls fail; returns a status */
    bool opens;
    bool works; /* true if the scene uses workers */
} scene;
extern const scene scenes[];
extern const size_t scene_count;

/* Prints a violated condition and exits with code 3. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void need(int status, const char *what);

/* Loads the driver, makes a context current and allocates two buffers. */
void make_context(void);
int open_tuner(void);

/* Checks the application after a scene. A failed call must have set a message. The scene's plan,
 * another plan of its tuner, and a plan of a new tuner on the same database must compute correct
 * results. */
void expect_well(const scene *s, int status);
/* Creates the objects that a process creates once and keeps, so failures in the scene do not hit
 * their creation. */
void live_before(void);
