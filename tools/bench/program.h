/* Functions that all benchmark programs share. */
#pragma once

#include <gputune_tools.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Ends the program if `status` is a failure. `what` is the action that failed, for the message. */
static inline void must(int status, const char *what)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", what, gputune_error());
        exit(1);
    }
}
