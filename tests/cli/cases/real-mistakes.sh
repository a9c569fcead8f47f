# Common mistakes in templates; the message has the place or the values, the cause and the remedy.
export GPUTUNE_DB=:memory:
head='#pragma gputune kernel(k) reference(r) tune(B = 64, 128) block(B)
#pragma gputune problem(n = 4000) args(out float y[n], in float x[n], int n)'
right='__global__ void r(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}'
kernel='__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}'
try() { # NAME CLAUSES CODE
    printf '== %s\n' "$1"
    printf '%s\n#pragma gputune %s\n%s\n%s\n' "$head" "$2" "$right" "$3" >"$1.cu"
    $GPUTUNE warm "./$1.cu" --driver emu --time-limit 100 --format csv 2>err >table
    code=$?
    grep -v ' s left' err | sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g; s/cu[A-Z][A-Za-z0-9]*: CUDA_/CUDA_/' # any call may report it
    cut -d, -f4,5 table | tail -n +2
    echo "exit $code"
}
grid='grid(ceil_div(n, B))'
try unwritten 'grid(ceil_div(n, 128))' "$kernel"
try all_unwritten 'grid(1)' "$kernel"
try not_cleared "$grid" "$(echo "$kernel" | sed 's/y\[i\] =/y[i] +=/')"
export GPUTUNE_DB=wrong.db
for again in wrong wrong; do # the second time from the database
    try "$again" "$grid" "$(echo "$kernel" | sed 's/2 \*/(B == 64 ? 3 : 2) */')"
done
export GPUTUNE_DB=:memory:
# The two correct variants differ by less than epsilon, so either may win.
try most_wrong "$grid tune(C = 0, 1, 2)" "$(echo "$kernel" | sed 's/2 \*/(C ? 3 : 2) */')" | sed 's/^B=[0-9]* C=0,/C=0,/'
sed 's/C = 0, 1, 2/C = 0, 1, 2, 3/; s/C ? 3/C % 3 ? 3/' most_wrong.cu >narrower.cu
for only in C=0,1 C=2,3; do # failures outside --only do not count
    GPUTUNE_DB=narrower.db $GPUTUNE warm ./narrower.cu --driver emu --only $only 2>err >table
    echo "only $only: exit $?, $(grep -o '[0-9]* variants failed.*wrong results:' err)"
done
try all_wrong "$grid" "$(echo "$kernel" | sed 's/2 \*/3 */')"
kept=$right right=$(echo "$right" | sed 's/y\[i\] = 2/y[i] += 2/')
try never_cleared "$grid" "$kernel"
right='__global__ void r(float *y, const float *x, int n)
{
    __shared__ float tile[256]; // a block that the size cuts reads what no thread has written
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n) y[i] = 2 * tile[(threadIdx.x + 1) % blockDim.x];
}'
head=$(echo "$head" | sed 's/n = 4000/n = 4096/') try uneven "$grid" "$kernel"
right=$(echo "$kept" | sed 's/i < n/i < n - 5/')
try unwritten_reference "$grid" "$kernel"
right=$(echo "$right" | sed 's/i < n - 5/i < n/')
try only_expressions_know "define(HALF = n / 2) $grid" "$(echo "$kernel" | sed 's/2 \*/(i < HALF ? 2 : 2.0f) */')"
try a_little_wrong "$grid" "$(echo "$kernel" | sed 's/2 \*/2.0002f */')"
full=$head
head=$(echo "$head" | sed 's/in float x\[n\]/in float x[n \/ 2]/')
try outside "$grid" "$kernel" | sed 's/block ([0-9]*,0,0), thread ([0-9]*,0,0) ([0-9]* bytes/block B, thread T (SOME bytes/' # several cores
right=$(echo "$right" | sed 's/x\[i\]/x[i \/ 3]/')
try outside_too "$grid" "$kernel"
head=$full
right=$(echo "$right" | sed 's,x\[i / 3\],x[i],')
try no_shared "$grid" "$(echo "$kernel" | sed 's/^{/{ extern __shared__ float tile[];/')"
try no_shared_of_a_helper "$grid" "struct tile { __device__ float *at() { extern __shared__ float t[]; return t; } };
$(echo "$kernel" | sed 's/^{/{ tile t; t.at()[threadIdx.x] = 0;/')"
try declared_in_a_function "$grid tune(UNROLL = 1, 2)" "$(echo "$kernel" | sed 's/^{/{ int UNROLL = 4;/; s/2 \*/2 * UNROLL */')"
try marked_lambda "$grid" "$(echo "$kernel" | sed 's/^{/{ auto twice = [] __device__ (float v) { return 2 * v; };/; s/2 \* x\[i\]/twice(x[i])/')"
try without_operand "$grid" "$(echo "$kernel" | sed 's/2 \*/(2 ?: 1) */')"
try array_designator "$grid" "$(echo "$kernel" | sed 's/^{/{ float q[] = {[B > 32] = 2};/')"
# An #if on a tunable selects a parameter's type.
head=$(echo "$head" | sed 's/, int n)/, size n)/')
try selected_by_if "$grid" "
#if B > 64
typedef short size;
#else
typedef int size;
#endif
$(echo "$kernel" | sed 's/int n)/size n)/')"
head=$full
# The number of wrong elements is that of the output in the message.
head=$(echo "$head" | sed 's/args(/args(out int whole[n], /')
right=$(echo "$right" | sed 's/(float/(int *whole, float/; s/y\[i\] =/whole[i] = i, y[i] =/')
try second_of_two "$grid" "$(echo "$kernel" | sed 's/(float/(int *whole, float/; s/y\[i\] =/whole[i] = i, y[i] = i == 7 ? 5 :/')"
sed -i 's/kernel(k)/kernel(k<B>)/; s/^__global__ void k/template <int B, int ITEMS> &/' wrong.cu
$GPUTUNE warm ./wrong.cu --driver emu -q 2>&1
