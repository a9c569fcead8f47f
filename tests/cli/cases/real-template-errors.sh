export GPUTUNE_DB=:memory:
cat >bad.cu <<'T'
#pragma gputune kernel(bad)
#pragma gputune tunee(BLOCK = 64)
__global__ void bad() {}
T
$GPUTUNE space ./bad.cu --arch sm_90
echo "exit $?"
$GPUTUNE warm ./bad.cu --compile-only --arch sm_90
echo "exit $?"
$GPUTUNE warm ./missing.cu --compile-only --arch sm_90
echo "exit $?"
