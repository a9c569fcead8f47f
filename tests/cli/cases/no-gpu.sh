export GPUTUNE_FAKE=nogpu
exit_of $FAKE warm axpy --device 0
exit_of $FAKE warm axpy --driver cuda
exit_of $FAKE devices
GPUTUNE_DRIVER=cuda exit_of $FAKE run axpy
GPUTUNE_FAKE=nogpu,noemulator exit_of $FAKE warm axpy
GPUTUNE_FAKE=nogpu,noemulator $FAKE show | cut -c1-35
echo "exit $?"
$FAKE warm axpy --compile-only --arch sm_90 -q | wc -l
$FAKE emit axpy --arch sm_90
