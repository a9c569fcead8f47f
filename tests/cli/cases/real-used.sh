# A kernel that has nothing to do on its own output is measured on restored buffers, so a hot launch takes
# about as long as a cold one. Other kernels are sampled as usual.
settle=$(dirname "$0")/../../language/settle.cu
run() { # KERNEL OPTION...
    $GPUTUNE run --driver emu -v --format csv "$@" 2>>log | tail -n 1 | cut -d, -f11
}
cold=$(run "$settle")
hot=$(run "$settle" --cache hot)
launch=$(run "$settle" -o launch)
echo "$cold $hot $launch" | awk '{ print ($1 > 0), ($2 > 0.9 * $1), ($3 > 0.9 * $1) }'
run axpy --size n=10000 --cache hot >/dev/null
run histogram --size n=10000 -o launch >/dev/null
grep -c 'a launch takes' log
grep -m 1 'a launch takes' log | sed 's/[0-9]*%/N%/'
