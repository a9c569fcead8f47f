export GPUTUNE_DB=:memory:
$GPUTUNE kernels --format csv | cut -d, -f1,3 | cut -c1-30
$GPUTUNE --version
