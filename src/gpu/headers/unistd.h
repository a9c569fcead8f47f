#pragma once
/* Macros that headers for the host test; functions are only available on the host. */
#define _POSIX_VERSION 200809L
