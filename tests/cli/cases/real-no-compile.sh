# variants that do not compile are reported and do not stop the others
export GPUTUNE_DB=:memory:
poisoned=$(dirname "$0")/../../poisoned
$GPUTUNE warm "$poisoned/bad.cu:no_compile" --compile-only --arch sm_90 --format csv 2>err | grep '^no_compile,' | cut -d, -f3,4
grep -c '2 variants compiled, 2 failed' err
