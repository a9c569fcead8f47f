# If one of several GPUs fails, an equal one takes over its scenarios, and no process is left running.
exec 2>&1
# Cached compiles would be too fast: both processes must be at work when a GPU fails.
. "${0%/*}/../left.sh"
export COMPILE_SLOWLY=1 GPUTUNE_EMU_DEVICES=h200,h200 MARK="$PWD"
warm() { # DATABASE
    $GPUTUNE warm axpy --driver emu --db "$1" --size n=1000,3000 --only VEC=1 --only BLOCK=64,256 --only UNROLL=1 --cache hot \
        --gpus 0,1 --format csv 2>errors | cut -d, -f1-4,16
    sed -n 's/: [a-z]* n=[^:]* failed/: SCENARIO failed/p' errors
}
echo == a GPU is lost
GPUTUNE_EMU_FAULTS='cuMemAlloc@1:*1=999' warm one.db
grep -c 'trying the scenario on another GPU of the same kind' errors
echo == the first GPU is lost before the others are open
GPUTUNE_EMU_FAULTS='cuMemAlloc@0:*1=999' warm first.db
grep -c 'trying the scenario on another GPU of the same kind' errors
echo == results that a faulty GPU stored are not used
GPUTUNE_EMU_FAULTS='cuLaunchKernelEx@1:*20=719' warm two.db
$GPUTUNE show axpy --driver emu -q --db two.db --all --format csv | grep -c crashed
echo == the process of a GPU is killed
$GPUTUNE warm axpy --driver emu --db six.db --size n=1000,3000,5000,7000 --only VEC=1 --only BLOCK=64,256 --only UNROLL=1,2 --cache hot \
    --gpus 0,1 --format csv 2>errors >table &
command=$!
parent_of() { # PROCESS
    awk '{ print $4 }' "/proc/$1/stat" 2>/dev/null
}
at_work() { # prints the children of the command that have compile workers
    for process in $(grep -lsz '^compile$' /proc/[0-9]*/cmdline); do
        process=${process%/cmdline}
        child=$(parent_of "${process#/proc/}")
        [ "$(parent_of "$child")" = "$command" ] && echo "$child"
    done
}
until second=$(at_work | tail -1) && [ -n "$second" ]; do sleep 0.05; done
kill -9 "$second"
wait $command
echo "exit $?"
cut -d, -f1-2,16 table
grep -o 'the process on this GPU was ended by signal 9; trying the scenario on another GPU of the same kind' errors
echo == all GPUs are lost
GPUTUNE_EMU_FAULTS='cuMemAlloc:*1=999' $GPUTUNE warm axpy --driver emu --db four.db --size n=1000,3000 --gpus 0,1 --cache hot \
    2>errors
echo "exit $?, $(grep -v '; trying' errors | grep -c '^gputune: axpy n=[0-9]* T=float: GPU . (NVIDIA H200 (emulated)): cuMemAlloc: CUDA_ERROR_UNKNOWN')"
echo == Ctrl-C
timeout --foreground --preserve-status -s INT 5 $GPUTUNE warm gemm --driver emu --db five.db --size m=128,256 --size n=128 \
    --size k=128 --cache hot --gpus 0,1 >/dev/null 2>errors
echo "exit $?"
tail -n 1 errors
echo == Ctrl-C before a GPU is open
GPUTUNE_EMU_FAULTS='cuInit:1=~60s' timeout --foreground --preserve-status -s INT 1 $GPUTUNE warm axpy --driver emu \
    --db seven.db --gpus 0,1
echo "exit $?"
echo == SIGCHLD is ignored, and there is no such GPU
python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "${FAKE%/tests/*}/gputune" warm axpy --driver emu --db eight.db --gpus 7 >/dev/null 2>errors
echo "exit $?"
left_in_the_end
