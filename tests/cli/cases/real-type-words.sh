# A type whose name has two words, in the sizes of a scenario.
cat >k.cu <<'EOF'
#pragma gputune kernel(k) problem(type T = unsigned int, float, unsigned char) problem(n = 1 << 20)
#pragma gputune args(out T y[n], in T x[n] = uniform(0, 9), int n) reference(y[i] = x[i] + 1)
#pragma gputune tune(B = 64, 128) block(B) grid(ceil_div(n, B))
__global__ void k(T *y, const T *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
EOF
for type in "unsigned int" "unsigned char"; do
    $GPUTUNE warm k.cu --driver emu -q --size n=1000 --size "T=$type" --format csv | cut -d, -f1-2
done
$GPUTUNE show k.cu --driver emu -q --size "T=unsigned char" --format csv | cut -d, -f1-2
