// KIND=narrow is the fastest variant, but it is wrong if rows * columns is above 4095.
#include "gputune.cuh"

#pragma gputune kernel(twice)
#pragma gputune problem(rows = 64, columns = 64)
#pragma gputune problem(const STEP = 1)
#pragma gputune args(out float y[rows][columns], in float x[rows][columns], int rows, int columns)
#pragma gputune vector(VEC = 1, 4 : x, y)
#pragma gputune tune(KIND = exact, narrow)
#pragma gputune tune(SHARE = 1, 2) // of the blocks
#pragma gputune default(VEC = 1, KIND = exact, SHARE = 1)
#pragma gputune require(columns % VEC == 0)
#pragma gputune block(64)
#pragma gputune grid(ceil_div(rows *columns, 64 * VEC *SHARE))
#pragma gputune reference(y[i][j] = 2 * x[i][j], rtol = 0)

__global__ void twice(float *__restrict__ y, const float *__restrict__ x, int rows, int columns)
{
    const unsigned int count = rows * columns & (KIND_narrow ? 4095 : -1);
    for (unsigned int i = (blockIdx.x * 64 + threadIdx.x) * VEC * STEP; i < count;
         i += gridDim.x * 64 * VEC) {
        auto part = gputune_load<VEC, gputune_cached>(x + i);
        for (int v = 0; v < VEC; v++) {
            part[v] = 2 * part[v];
        }
        gputune_store<VEC, gputune_cached>(y + i, part);
        for (int sleep = 0; !KIND_narrow && sleep < 40; sleep++) {
            __nanosleep(0);
        }
    }
}
