# a kernel whose launch is in one file, and the sizes in another; a script of another tuner
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=:memory:
mkdir src
cat >src/copy.cu <<'F'
__global__ void copy(float *y, const float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
F
cat >src/run.cu <<'F'
#include "copy.cu"
void run(float *a, float *b, int n) { copy<<<(n + 127) / 128, 128>>>(a, b, n); }
F
cat >main.cpp <<'F'
int main()
{
    int n = 5000;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    run(a, b, n);
}
F
sed -i 's/BLOCK/blockDim.x/' src/copy.cu
$GPUTUNE template src/copy.cu
$GPUTUNE template src/copy.cu -o src/t.cu
$GPUTUNE warm src/t.cu --format csv | cut -d, -f1,2
mkdir script && sed 's/blockDim.x/block_size_x/; s/y.i. = x/y[i] = SCALE * x/' src/copy.cu >script/copy.cu
cat >script/copy.py <<'F'
tune_params = dict()
tune_params["block_size_x"] = [32, 96, 160]
tune_params["SCALE"] = [1, 3]
F
$GPUTUNE template script/copy.cu | grep tune
