export GPUTUNE_DB=:memory:
cat >bad.cu <<'T'
#pragma gputune kernel(bad)
#pragma gputune tunee(BLOCK = 64)
__global__ void bad() {}
T
exit_of $GPUTUNE space ./bad.cu --arch sm_90
exit_of $GPUTUNE warm ./bad.cu --compile-only --arch sm_90
exit_of $GPUTUNE warm ./missing.cu --compile-only --arch sm_90
