# If results cannot be stored, warm still prints them, and its exit code reports the failure.
export GPUTUNE_FAKE=baddb
$FAKE warm axpy -s n=1K --force -q --format csv | cut -d, -f1-2
$FAKE warm axpy -s n=1K --force -q >/dev/null 2>&1
echo "exit $?"
$FAKE warm axpy -s n=1K --compile-only -q >/dev/null
echo "exit $?"
