# `show` does not start a driver that `warm` has used in the same environment. A folder replaces /proc/driver,
# and the emulator's library replaces CUDA's; its cuInit() fails if FAULT is set.
mkdir -p driver/nvidia/gpus/0000:01:00.0
echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03" >driver/nvidia/version
printf 'Model: \t NVIDIA H200\nGPU UUID: \t GPU-1\n' >driver/nvidia/gpus/0000:01:00.0/information
apart() {
    unshare -rm sh -c 'mount --bind driver /proc/driver && exec "$@"' sh "$@"
}
apart true 2>/dev/null || {
    echo "no namespace to mount a folder in"
    exit 77
}
export GPUTUNE_DRIVER="$GPUTUNE_EMULATOR" GPUTUNE_DB="$PWD/x.db" FAULT=cuInit:1=999
apart "$GPUTUNE" warm axpy --size n=1000 --max-variants 3 -q >/dev/null || exit
apart "$GPUTUNE" show --why --all >without.txt 2>&1
GPUTUNE_EMU_FAULTS=$FAULT apart "$GPUTUNE" show --why --all >with.txt 2>&1
echo "show: exit $?"
cmp without.txt with.txt
CUDA_VISIBLE_DEVICES=0 apart "$GPUTUNE" show --why --all >started.txt 2>&1
cmp without.txt started.txt
GPUTUNE_EMU_FAULTS=$FAULT apart "$GPUTUNE" wisdom export -q | head -c 9
echo
for command in "show" "wisdom export"; do # with other visible devices
    CUDA_VISIBLE_DEVICES=0 GPUTUNE_EMU_FAULTS=$FAULT apart "$GPUTUNE" $command
    echo "$command: exit $?"
done
for command in "forget axpy" "warm axpy"; do # in the same environment
    GPUTUNE_EMU_FAULTS=$FAULT apart "$GPUTUNE" $command
    echo "$command: exit $?"
done
