// A hash of each 64-bit key: only integers, so results are exact
#include "gputune.cuh"

#pragma gputune kernel(hash)
#pragma gputune problem(n = 1 << 22)
#pragma gputune args(out unsigned long long hashed[n], in unsigned long long key[n] = uniform(0, 1 << 62), size_t n)
#pragma gputune vector(VEC = 1, 2 : hashed, key)
#pragma gputune tune(BLOCK = 128, 256, 512)
#pragma gputune tune(UNROLL = 1, 2, 4)
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 1)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * VEC * UNROLL))
#pragma gputune work(bytes = 16 * n)
#pragma gputune reference(hash_reference, block = 256, grid = ceil_div(n, 256))

GPUTUNE_INLINE unsigned long long mix(unsigned long long key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ull;
    key = (key ^ key >> 27) * 0x94d049bb133111ebull;
    return key ^ key >> 31;
}

__global__ void hash(unsigned long long *hashed, const unsigned long long *key, size_t n)
{
    gputune_each<VEC, UNROLL>(n, [=](auto part) {
        auto keys = part.load(key);
        for (int i = 0; i < part.count; i++) {
            keys[i] = mix(keys[i]);
        }
        part.store(hashed, keys);
    });
}

__global__ void hash_reference(unsigned long long *hashed, const unsigned long long *key, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        hashed[i] = mix(key[i]);
    }
}
