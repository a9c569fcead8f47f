# after --compile-only and merge, a later warm compiles nothing, not even the reference
exec 2>&1
space="--driver emu --size n=1000 --only BLOCK=64 --only VEC=1,4"
$GPUTUNE warm axpy $space --compile-only -q --db compiled.db >/dev/null
$GPUTUNE merge -o own.db compiled.db
echo "exit $?"
$GPUTUNE merge -o own.db compiled.db
echo "exit $?"
$GPUTUNE warm axpy $space --db own.db -v 2>&1 | grep -o 'work: [0-9]* sources'
# wisdom carries the registers of code
$GPUTUNE wisdom export --whole -q --driver emu --db own.db | grep -c '^code-facts .* registers='
