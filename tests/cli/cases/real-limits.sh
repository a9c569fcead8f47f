# gputune works with a stack of 64 KB and after a preloaded library reserved much address space. It reports
# why an NVRTC library does not load, why a worker and why the emulator do not start.
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
ulimit -s 64
$GPUTUNE run axpy --size n=4096 --format csv | cut -d, -f1,2
LD_PRELOAD=${FAKE%/*}/reserves.so $GPUTUNE run axpy --size n=4096 --format csv | cut -d, -f1,2
mkdir -p toolkit/lib64 && : >toolkit/lib64/libnvrtc.so.13
env -u GPUTUNE_NVRTC CUDA_HOME=toolkit GPUTUNE_COMPILE_MEMORY=40 $GPUTUNE run axpy --size n=4096 2>&1 | grep -o 'toolkit/.*short'
(ulimit -n 12; $GPUTUNE warm axpy --size n=4096) 2>&1 | grep -o 'the reference.*files' | head -1
ulimit -v 2000000
$GPUTUNE devices
