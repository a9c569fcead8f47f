export GPUTUNE_FAKE=nogpu
$FAKE warm axpy --device 0
echo "exit $?"
$FAKE warm axpy --driver cuda
echo "exit $?"
$FAKE devices
echo "exit $?"
GPUTUNE_DRIVER=cuda $FAKE run axpy
echo "exit $?"
GPUTUNE_FAKE=nogpu,noemulator $FAKE warm axpy
echo "exit $?"
GPUTUNE_FAKE=nogpu,noemulator $FAKE show | cut -c1-35
echo "exit $?"
$FAKE warm axpy --compile-only --arch sm_90 -q | wc -l
$FAKE emit axpy --arch sm_90
