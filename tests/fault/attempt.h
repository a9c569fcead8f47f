/* An attempt of walk.c: a scene with a failing call, in its own process. */
#pragma once

#include "application.h"

#include <sys/types.h>

/* Exit code of an attempt that seems to have leaked and should be repeated. */
enum { ATTEMPT_AGAIN = 100 };

typedef struct attempt {
    const scene *scene;
    char call[64];
    long number; /* number of the failing call; 0 if none fails */
    int code;    /* error code of a failing driver call */
    bool always;
    int again;
} attempt;

typedef struct outcome {
    long calls, live;
    int descriptors;
} outcome;

/* The folder for the files of all slots. */
extern char attempt_folder[64];
void attempt_path(char *out, size_t bytes, int slot, const char *ending);
void copy_file(const char *to, const char *from);
/* Sets the paths of the slot's database and files. Unless `s` is NULL, creates the files that the
 * scene needs at its beginning. */
void attempt_place(int slot, const scene *s);

bool is_of_worker(const char *call);
bool is_of_driver(const char *call);

/* Runs the attempt and ends this process, with exit code 0 on success. `usual` contains the
 * outcomes without a failing call: [0] in a new process, [1] after live_before(). */
void attempt_live(const attempt *a, int slot, outcome *out, const outcome usual[2])
    __attribute__((noreturn));
