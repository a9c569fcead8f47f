# GNU extensions of C++, conditional parameters, and headers for host code are accepted.
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
cat >k.cu <<'F'
#include <boost/regex.hpp>
#include <cuda_runtime.h>
#include "helper_cuda.h"
#ifdef LARGE
#define SIDE 64
#else
#define SIDE 32
#endif
#define SQUARE(x) ({ __typeof__(x) a_ = (x); \
    a_ * a_; })
struct two {
    float a;
#if SIDE == 32
    float b;
#endif
};
bool same(const char *a, const char *b) { return strcasecmp(a, b) == 0; }
#pragma gputune kernel(k) problem(n = 1000) args(out float y[n], in float x[n], two t = {1, 2}, int n)
#pragma gputune tune(PLUS = 0, 1) block(SIDE) grid(ceil_div(n, SIDE))
#pragma gputune reference(y[i] = x[i] * x[i] + 2 * x[i])
__global__ void k(float *y, const float *x,
#if SIDE == 32
                  two t,
#else
                  int unused,
#endif
                  int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = SQUARE(x[i]) + ({ float twice = t.b * x[i]; if (PLUS) { twice = +twice; } twice; });
    }
}
int main() { return same("a", "b"); }
F
$GPUTUNE warm ./k.cu -q --format csv 2>&1 | cut -d, -f1,2
# If a name is undeclared and a header is missing, the message mentions the header.
sed -i 's/x\[i\];/f(x[i]);/' k.cu
$GPUTUNE warm ./k.cu 2>&1 | sed 's/n=1000.*does/n=1000: does/; s/looked in .*; install/looked in FOLDERS; install/'
