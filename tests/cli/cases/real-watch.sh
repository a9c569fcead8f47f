# warm --watch tunes again whenever the template, or a file that it includes, is saved.
exec 2>&1
export GPUTUNE_DRIVER=emu GPUTUNE_DB="$PWD/x.db"
cat >mine.cu <<'TEMPLATE'
#include "factor.h"
#pragma gputune kernel(mine)
#pragma gputune problem(n = 1000)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2 * x[i])
__global__ void mine(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = FACTOR * x[i];
    }
}
TEMPLATE
echo "#define FACTOR 2" >factor.h
count() { # TEXT FILE
    grep -c -- "$1" "$2"
}
wait_for() { # COUNT TEXT FILE: waits for that many lines with the text, or for the end of the watch
    while [ "$(count "$2" "$3")" -lt "$1" ] && kill -0 "$watch" 2>/dev/null; do
        sleep 0.1
    done
}
begin() { # OPTION...
    : >log
    $GPUTUNE warm ./mine.cu --watch --format csv "$@" >out 2>log &
    watch=$!
    trap 'kill -9 $watch 2>/dev/null' EXIT
}
end() {
    kill -INT "$watch"
    wait "$watch"
    echo "exit $?"
    trap - EXIT
}
rows() {
    cut -d, -f1-2,14,16 out
}

begin --report page.html
wait_for 1 'waiting for changes' log
grep -o '"tuning": \[[^]]*\]' page.html # the page is complete while the command waits
echo == saved by a rename, like most editors, after temporary files
echo temporary >.mine.cu.swp
echo temporary >4913
sed 's/BLOCK = 64, 128/BLOCK = 64, 128, 256/' mine.cu >mine.cu~
mv mine.cu~ mine.cu
wait_for 2 'waiting for changes' log
echo == an error in an included file, then its fix
echo "#error mistake" >factor.h
wait_for 3 'waiting for changes' log
echo "#define FACTOR 2.0f" >factor.h
wait_for 4 'waiting for changes' log
echo == an error in the template
sed 's/tune(BLOCK/tun(BLOCK/' mine.cu >wrong
cp mine.cu right
mv wrong mine.cu
wait_for 5 'waiting for changes' log
mv right mine.cu
wait_for 6 'waiting for changes' log
end
rows
grep -v ': [0-9]*/[0-9]*, ' log # omits progress, which slow machines print

echo == saved during a tuning, whose outdated result is not printed
sed -i "s/^#pragma gputune block.*/&\n#pragma gputune tune(U = $(seq -s, 1 190))/; s/FACTOR \*/(U - U + FACTOR) */" mine.cu
begin_long() { # DATABASE: waits until it exists
    GPUTUNE_DB="$PWD/$1" begin
    while [ ! -e "$1" ] && kill -0 "$watch" 2>/dev/null; do
        sleep 0.1
    done
}
begin_long y.db
sed -i 's/U = .*/U = 1)/' mine.cu
wait_for 1 'waiting for changes' log
end
rows

grep 'has changed' log
echo == interrupted during a tuning
sed -i "s/U = .*/U = $(seq -s, 1 190))/" mine.cu
begin_long z.db
end
sed -i 's/U = .*/U = 1)/' mine.cu

echo == on a terminal: clears the screen, and Ctrl-C ends it
until_there_are() {
    until [ "$(count 'waiting for changes' term)" -ge "$1" ]; do
        sleep 0.1
    done
}
: >term
{
    until_there_are 1
    echo "#define FACTOR 2" >factor.h
    until_there_are 2
    printf '\003'
} | TERM=xterm script -qefc "exec $GPUTUNE warm ./mine.cu --watch" term >/dev/null
echo "exit $?"
tr -d '\r' <term | sed -n 's/^.*\x1b\[H\x1b\[2J/<empty screen>/p'

echo == options that exclude --watch
for other in "--gpus all" "--shard 0/2" "--from x" --compile-only; do
    exit_of $GPUTUNE warm ./mine.cu --watch $other
done
exit_of $GPUTUNE warm axpy --watch
exit_of $GPUTUNE warm ./none.cu:mine --watch --size n=x
