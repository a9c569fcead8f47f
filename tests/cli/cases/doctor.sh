# doctor prints each check with its remedy in every format, and exits with the code of the first failure.
$FAKE doctor
for format in json table; do
    GPUTUNE_FAKE=baddb exit_of $FAKE doctor --format $format
done
GPUTUNE_FAKE=nonvrtc exit_of $FAKE doctor --format csv -q
$FAKE doctor now
