export GPUTUNE_DB=:memory:
$GPUTUNE space axpy --arch sm_90 --only VEC=1,2,4 --only UNROLL=1,2,3,4,5,6,7,8 --format csv | sed -n 1,2p
# clusters are there from compute capability 9.0 on
$GPUTUNE space histogram --arch sm_80 --format csv | grep '^CLUSTER' | cut -d, -f1-4
# what --only leaves out and what it adds
$GPUTUNE space axpy --arch sm_90 --only BLOCK=96,256 --format csv | grep BLOCK
$GPUTUNE space axpy --arch sm_12
echo "exit $?"
$GPUTUNE space axpi --arch sm_90
