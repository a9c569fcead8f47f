# Buffers are filled by a named fill, an expression of the index or a file, by the template or by --input.
. "${0%/*}/../npy.sh"
# The files have the shorts 0 1 2 3, and 3 2 1 0.
printf '\000\000\001\000\002\000\003\000' | npy up.npy '<i2' '(4,)'
printf '\003\000\002\000\001\000\000\000' | npy down.npy '<i2' '(4,)'
printf '\003\000\002\000\001\000\000\000' | npy square.npy '<i2' '(2, 2)'
printf '\000\001\002\003' | npy bytes.npy '|i1' '(4,)'
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(n = 4) tune(BLOCK = 64, 128) block(BLOCK) grid(1)
#pragma gputune args(out int y[n], in short x[n] = file("up.npy"), in int back[n] = n - 1 - index, \
                     in float half[n] = (index % 2) * 0.5, in int order[n] = permutation, \
                     in int rows[n + 1] = prefix(3 * n), in int keys[n] = sorted(5, 9), int n)
#pragma gputune reference(wanted)
__global__ void k(int *y, const short *x, const int *back, const float *half, const int *order,
                  const int *rows, const int *keys, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] == i;
}
__global__ void wanted(int *y, const short *x, const int *back, const float *half, const int *order,
                       const int *rows, const int *keys, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    y[i] = x[i] == i && back[i] == 3 - i && half[i] == (i % 2) / 2.0f && order[i] < n &&
           rows[i] <= rows[i + 1] && rows[n] == 3 * n && keys[i] >= 5 && keys[i] <= 9;
}
END
tune() {
    $GPUTUNE warm ./k.cu --driver emu -q --format csv "$@" | tail -n +2 | cut -d, -f1,2
    echo "exit $?"
}
tune
tune -i x=up.npy
# Different data or another alignment make a different scenario, which the table shows.
tune --input x=down.npy --alignment 4
$GPUTUNE show k --driver emu --format csv | tail -n +2 | grep -o 'seed=[^,]*' | sort
$GPUTUNE show k --driver emu 2>/dev/null | grep -o '\(alignment=4 \)*seed=[^ ]* x=[^ ]*' | sort
for input in x=square.npy x=bytes.npy x=none.npy x=k.cu y=up.npy z=up.npy x x= =up.npy; do
    exit_of $GPUTUNE run ./k.cu --driver emu -q -i "$input"
done
# A file fits one size only.
$GPUTUNE run ./k.cu --driver emu -q -s n=5
