// Sums the rows of an input. An init() kernel makes values much larger than the default fill.
#pragma gputune kernel(centred)
#pragma gputune problem(rows = 256, columns = 1024)
#pragma gputune args(out float y[rows], in float x[rows][columns], int rows, int columns)
#pragma gputune init(make_rows, block = 64, grid = ceil_div(rows, 64))
#pragma gputune tune(ORDER = forwards, backwards, fours)
#pragma gputune tune(FAULT = none, off_by_one, half)
#pragma gputune default(ORDER = forwards, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == forwards)
#pragma gputune block(64)
#pragma gputune grid(ceil_div(rows, 64))
#pragma gputune reference(centred_reference, block = 64, grid = ceil_div(rows, 64))
#include "centred.cuh"

__global__ void make_rows(float *, float *x, int rows, int columns, unsigned long long seed)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) {
        return;
    }
    unsigned long long draw = seed + row;
    for (int i = 0; i < columns; i++) {
        draw = draw * 6364136223846793005ull + 1442695040888963407ull;
        float value = ((draw >> 40) * 0x1p-23f - 1) * 1000;
        x[row * columns + i] = i < columns / 2 ? value : -x[row * columns + columns - 1 - i];
    }
    x[row * columns] += 0.1f * row; // all other terms cancel
}
