# Textures of linear memory and of rows are verified, tuned, and checked by the sanitizer.
cases=$(dirname "$0")
linear=$cases/../../arguments/textures.cu rows=$cases/../../../examples/resize.cu
$GPUTUNE warm "$linear" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
$GPUTUNE warm "$rows" --size "w=67 h=35" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
# A filter mode other than the reference's gives wrong results.
sed 's/filter = linear/filter = point/' "$rows" >point.cu
$GPUTUNE run point.cu -s w=67 -s h=35 --driver emu -q 2>&1 | grep -o 'far beyond rounding' | head -1
# Rows without the required padding are refused.
sed 's/ceil_div(w, 8) \* 8/w/' "$rows" >packed.cu
$GPUTUNE run packed.cu -s w=100 --driver emu -q || echo "exit $?"
# The sanitizer finds no mistake in correct reads through a texture.
$GPUTUNE check "$rows" -s w=67 -s h=35 --driver emu -q
# Arrays need no padding of rows.
arrays=$cases/../../arguments/layers.cu
$GPUTUNE warm "$arrays" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
sed 's/width = w/memory = array/; s/ceil_div(w, 8) \* 8/w/; s,(w + 7) / 8 \* 8,w,' "$rows" >array.cu
$GPUTUNE warm array.cu -s w=67 -s h=35 --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
# A kernel that reads a 2-D array with tex1D() is reported.
sed 's/tex2D<float>(q, i + 0.5f, j + 0.5f)/tex1D<float>(q, i + 0.5f)/' "$arrays" >wrong.cu
$GPUTUNE run wrong.cu --driver emu -q 2>&1 | grep -o 'which has rows: tex2D() reads it' | head -1
# A pipeline's kernels read a texture.
cat >both.cu <<'CU'
#pragma gputune kernel(both)
#pragma gputune problem(n = 4096)
#pragma gputune args(inout float y[n], in float x[n], int n)
#pragma gputune scratch(float part[n])
#pragma gputune texture(x)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (part, x, n))
#pragma gputune launch(second, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, part, x, n))
#pragma gputune reference(y[i] = y[i] + 2 * x[i] + x[n - 1 - i])
__global__ void first(float *part, cudaTextureObject_t x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        part[i] = 2 * tex1Dfetch<float>(x, i);
}
__global__ void second(float *y, const float *part, cudaTextureObject_t x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] += part[i] + tex1Dfetch<float>(x, n - 1 - i);
}
CU
$GPUTUNE warm both.cu --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
