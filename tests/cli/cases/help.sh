$FAKE help
$FAKE --help | head -n 1
$FAKE --version
