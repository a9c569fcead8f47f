// Direct Coulomb summation: the potential of a few hundred atoms at each point of a grid of n^3 points
//
// A thread computes Z_ITERATIONS points with equal x and y, so their distances to an atom differ only in z.
// Atoms are read from global memory or from constant memory, which serves a whole warp at once. Each atom
// is a struct; the kernel does not read its radius.
#include "gputune.cuh"

struct atom {
    float x, y, z, charge;
    float radius = 1;
};

#pragma gputune kernel(coulomb)
#pragma gputune problem(n = 128, const ATOMS = 256)
#pragma gputune pass(atoms : atom[ATOMS] = constant, global : {uniform(0, 32), .charge = uniform(0, 1)})
#pragma gputune args(out float energy[n][n][n], int n, float spacing = 0.25)
#pragma gputune tune(BLOCK_X = 16, 32) tune(BLOCK_Y = 1, 2, 4, 8)
#pragma gputune tune(Z_ITERATIONS = 1, 2, 4, 8, 16)
#pragma gputune tune(UNROLL = 1, 4, 8) // unrolling of the loop over atoms
#pragma gputune default(BLOCK_X = 16, BLOCK_Y = 8)
#pragma gputune require(BLOCK_X * BLOCK_Y >= 32)
#pragma gputune block(BLOCK_X, BLOCK_Y)
#pragma gputune grid(ceil_div(n, BLOCK_X), ceil_div(n, BLOCK_Y), ceil_div(n, Z_ITERATIONS))
#pragma gputune work(flops = 10 * n * n * n * ATOMS)
#pragma gputune reference(coulomb_reference, block = 64, grid = (ceil_div(n, 64), n, n))

__global__ void coulomb(GPUTUNE_PARAM(atoms) float *energy, int n, float spacing)
{
    const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int first = blockIdx.z * Z_ITERATIONS;
    float sums[Z_ITERATIONS] = {};
#pragma unroll UNROLL
    for (int a = 0; a < ATOMS; a++) {
        const atom &it = atoms(a);
        const float x = i * spacing - it.x, y = j * spacing - it.y, in_plane = x * x + y * y;
#pragma unroll
        for (int k = 0; k < Z_ITERATIONS; k++) {
            const float z = (first + k) * spacing - it.z;
            sums[k] += it.charge * rsqrtf(in_plane + z * z + 1e-3f);
        }
    }
    for (int k = 0; k < Z_ITERATIONS; k++) {
        if (i < n && j < n && first + k < n) {
            energy[((first + k) * n + j) * n + i] = sums[k];
        }
    }
}

__global__ void coulomb_reference(const atom *atoms, double *energy, int n, float spacing)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
    double sum = 0;
    for (int a = 0; a < ATOMS && i < n; a++) {
        const double x = i * spacing - atoms[a].x, y = j * spacing - atoms[a].y;
        const double z = k * spacing - atoms[a].z;
        sum += atoms[a].charge / sqrt(x * x + y * y + z * z + 1e-3);
    }
    if (i < n) {
        energy[(k * n + j) * n + i] = sum;
    }
}
