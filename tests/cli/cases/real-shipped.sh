# report and export show shipped tables only with --shipped; the shipped rules fit the templates.
exec 2>&1
export HOME=$PWD # without stored results
build=$(dirname "$GPUTUNE_WORKER")
mkdir installed
cp "$build/gputune" "$build/tables/gputune.db" installed
exit_of installed/gputune report
exit_of installed/gputune export axpy
installed/gputune report axpy --shipped | grep 'NVIDIA H200' >page && echo shipped
installed/gputune export axpy --size n=64M --gpu H200 --shipped -q | grep -c '"runtimes": \[[0-9]'
installed/gputune show --rules --any-gpu | grep ' on NVIDIA'
