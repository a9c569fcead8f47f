export GPUTUNE_DB=:memory: GPUTUNE_NVRTC=$PWD/libnothing.so
exit_of $GPUTUNE warm axpy --compile-only --arch sm_90 2>err
grep -c libnothing.so err
