export GPUTUNE_DB=:memory:
$GPUTUNE kernels --format csv | cut -d, -f1,3 | grep -E '^(kernel|axpy|lincomb|stencil3d_steps),'
$GPUTUNE --version
