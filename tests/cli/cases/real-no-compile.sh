# variants that do not compile are reported and do not stop the others
export GPUTUNE_DB=:memory:
poisoned=$(dirname "$0")/../../poisoned
$GPUTUNE warm "$poisoned/no_compile.cu" --compile-only --arch sm_90 --format csv 2>err | cut -d, -f3,4
grep -c '2 variants compiled, 2 failed' err
$GPUTUNE warm "$poisoned/no_compile.cu" --compile-only --arch sm_90 --only BAD=1 -q >/dev/null 2>&1
echo "exit $?"
