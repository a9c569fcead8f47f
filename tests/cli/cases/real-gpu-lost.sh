# If the GPU is lost or faulty, no variant is recorded as failed.
export GPUTUNE_DB=$PWD/x.db GPUTUNE_DRIVER=emu
tune="$GPUTUNE warm axpy -q --format csv --size n=1000 --only VEC=1 --only BLOCK=64 --only UNROLL=1"
for fault in 100 214 46; do
    GPUTUNE_EMU_FAULTS="cuLaunchKernelEx:*9=$fault" $tune 2>log | cut -d, -f1,15,16 | tail -n +2
    grep -o 'CUDA_ERROR_[A-Z_]* ([0-9]*)' log | sort -u
    $GPUTUNE show axpy -q --all --format csv 2>&1 | grep -c '^axpy'
done
# The same for a GPU that fails every launch after some time: the variant that was running is not blamed.
cat >worker <<'END'
#!/bin/sh
code=$(cat code) calls='*1'
case $* in *measure*) mkdir was 2>/dev/null && calls=20 ;; esac
GPUTUNE_EMU_FAULTS=cuLaunchKernelEx:$calls=$code exec "$WORKER" "$@"
END
chmod +x worker
for fault in 719 999; do
    rm -rf was x.db*
    echo $fault >code
    WORKER=$GPUTUNE_WORKER GPUTUNE_WORKER=$PWD/worker $tune 2>log | tail -n +2
    grep -o 'CUDA_ERROR_[A-Z_]* ([0-9]*)' log | sort -u
    $GPUTUNE show axpy -q --all --format csv 2>&1 | grep -c '^axpy'
done
$tune | cut -d, -f1,15,16 | tail -n +2
