$FAKE help
$FAKE 2>text
echo "without a command: exit $?"
$FAKE help | cmp - text
$FAKE --help | head -n 1
$FAKE --version
