# After --compile-only and merge, a later warm compiles nothing, not even the reference.
exec 2>&1
space="--driver emu --size n=1000 --only BLOCK=64 --only VEC=1,4"
$GPUTUNE warm axpy $space --compile-only -q --db compiled.db >/dev/null
stat -c %a compiled.db
exit_of $GPUTUNE merge -o own.db compiled.db
exit_of $GPUTUNE merge -o own.db compiled.db
$GPUTUNE warm axpy $space --db own.db -v 2>&1 | grep -o 'compile [0-9]* sources'
# A whole export contains the register counts.
$GPUTUNE wisdom export --whole -q --driver emu --db own.db | grep -c '^code-facts .* registers='
# With --max-variants, --compile-only compiles the variants that the later warm tries, or refuses.
$GPUTUNE warm axpy --driver emu --size n=1000 --max-variants 6 --compile-only -q --db few.db | wc -l
$GPUTUNE warm axpy --driver emu --size n=1000 --max-variants 6 --db few.db -v 2>&1 | grep -o 'compile [0-9]* sources'
size="--size m=64 --size n=64 --size k=64"
exit_of $GPUTUNE warm gemm --driver emu $size --max-variants 40 --compile-only --db few.db
