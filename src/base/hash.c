/* Content hashes, computed with xxHash. */
#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

gt_hash gt_hash_bytes(const void *bytes, size_t count)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, count);
    return (gt_hash){hash.high64, hash.low64};
}

gt_hash gt_hash_string(const char *string)
{
    return gt_hash_bytes(string, strlen(string));
}

gt_hash gt_hash_join(gt_hash a, gt_hash b)
{
    const uint64_t words[4] = {a.high, a.low, b.high, b.low};
    return gt_hash_bytes(words, sizeof words);
}

bool gt_hash_equal(gt_hash a, gt_hash b)
{
    return a.high == b.high && a.low == b.low;
}

const char *gt_hash_hex(char out[GT_HASH_HEX], gt_hash hash)
{
    snprintf(out, GT_HASH_HEX, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
    return out;
}

uint64_t gt_hash64(const void *bytes, size_t count)
{
    return XXH3_64bits(bytes, count);
}
