exit_of $FAKE warm
exit_of $FAKE show axpy scale
exit_of $FAKE wisdom import x --gpu H100
exit_of $FAKE forget --gpu ''
exit_of $FAKE run
$FAKE warm axpy --arch sm_90
$FAKE warm axpy --any-gpu
