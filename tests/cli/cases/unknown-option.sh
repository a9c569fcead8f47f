$FAKE warm axpy --sise n=1
echo "exit $?"
$FAKE warm axpy --frobnicate
echo "exit $?"
$FAKE warm axpy -Z
echo "exit $?"
$FAKE warm axpy -qZv
echo "exit $?"
$FAKE warm axpy --force=yes
echo "exit $?"
$FAKE show --format xml
echo "exit $?"
$FAKE show --format jsn
echo "exit $?"
$FAKE warm axpy --size
