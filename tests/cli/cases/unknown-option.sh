exit_of $FAKE warm axpy --sise n=1
exit_of $FAKE warm axpy --frobnicate
exit_of $FAKE warm axpy -Z
exit_of $FAKE warm axpy -qZv
exit_of $FAKE warm axpy --force=yes
exit_of $FAKE show --format xml
exit_of $FAKE show --format jsn
$FAKE warm axpy --size
