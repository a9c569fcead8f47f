export GPUTUNE_DB=:memory: GPUTUNE_NVRTC=$PWD/libnothing.so
$GPUTUNE warm axpy --compile-only --arch sm_90 2>err
echo "exit $?"
grep -c libnothing.so err
