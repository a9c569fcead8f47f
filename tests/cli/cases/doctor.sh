# doctor prints each check with its remedy in every format, and exits with the code of the first failure.
$FAKE doctor
for format in json table; do
    GPUTUNE_FAKE=baddb $FAKE doctor --format $format
    echo "exit $?"
done
GPUTUNE_FAKE=nonvrtc $FAKE doctor --format csv -q
echo "exit $?"
$FAKE doctor now
