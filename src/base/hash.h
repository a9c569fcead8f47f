/* 128-bit content hashes (xxHash XXH3). Stable across machines and versions of gputune. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_hash {
    uint64_t high, low;
} gt_hash;

enum { GT_HASH_HEX = 33 }; /* 32 digits and NUL */

gt_hash gt_hash_bytes(const void *bytes, size_t count);
gt_hash gt_hash_string(const char *string);
/* Combines two hashes. Their order matters. */
gt_hash gt_hash_join(gt_hash a, gt_hash b);
bool gt_hash_equal(gt_hash a, gt_hash b);
/* Writes the hash as NUL-terminated lower-case hex; returns out. */
const char *gt_hash_hex(char out[GT_HASH_HEX], gt_hash hash);
/* Computes a 64-bit hash for tables in memory. */
uint64_t gt_hash64(const void *bytes, size_t count);
