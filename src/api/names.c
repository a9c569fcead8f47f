/* Names of enumerators, except those that are part of another table. */
#include <gputune_tools.h>

/* Defines gputune_TYPE_name(). The names have the order of the enumerators. */
#define NAMES(type, ...)                                                                           \
    const char *gputune_##type##_name(gputune_##type value)                                        \
    {                                                                                              \
        static const char *const names[] = {__VA_ARGS__};                                          \
        return (unsigned)value < sizeof names / sizeof *names ? names[(unsigned)value] : "?";      \
    }

NAMES(log_level, "error", "warning", "info", "debug")
NAMES(effort, "measure", "cached", "estimate", "measure", "exhaustive")
NAMES(cache, "cold", "hot")
NAMES(source, "default", "nearest", "cached", "measured", "estimated", "forced", "rule")
NAMES(verdict, "ok", "warning", "failure")
NAMES(certainty, "exact", "about", "at most")
NAMES(form, "source", "ptx", "cubin", "whole")
NAMES(parameter_kind, "buffer", "scalar", "block", "scratch", "tensormap", "texture")
