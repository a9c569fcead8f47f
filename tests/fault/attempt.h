/* One attempt of the walk (walk.c): a scene in which a call fails, in a process of its own. */
#pragma once

#include "application.h"

#include <sys/types.h>

/* The exit code of who seems to have left something and should live again. */
enum { ATTEMPT_AGAIN = 100 };

typedef struct attempt {
    const scene *scene;
    char call[64];
    long number; /* of the call that fails; 0: none does */
    int code;    /* of a driver call */
    bool always;
    int again; /* how often it was tried before */
} attempt;

typedef struct outcome {
    long calls, live;
    int descriptors;
} outcome;

/* Where each slot has its files. */
extern char attempt_folder[64];
void attempt_path(char *out, size_t bytes, int slot, const char *ending);
void copy_file(const char *to, const char *from);
/* Names the database and the file of a slot, and puts there what a scene begins with; NULL:
 * nothing.
 */
void attempt_place(int slot, const scene *s);

bool is_of_worker(const char *call);
bool is_of_driver(const char *call);

/* Lives, and ends this process: with 0 where all is as it must be. `usual`: what the scene leaves
 * when nothing fails, and the same after a life before. */
void attempt_live(const attempt *a, int slot, outcome *out, const outcome usual[2])
    __attribute__((noreturn));
