# If the database cannot be used, the work is done, and the exit code reports the problem even with -q.
one="--driver emu --size n=1000 --only VEC=1 --only BLOCK=256 --only UNROLL=1 --format csv"
mkdir folder
for database in folder :memory:; do
    $GPUTUNE warm axpy $one -q --db $database 2>err | cut -d, -f1-4
    cat err
    $GPUTUNE warm axpy $one -q --db $database >/dev/null 2>&1
    echo "tuned: exit $?"
    $GPUTUNE warm axpy $one -q --db $database --effort cached 2>&1 >/dev/null
    echo "looked up: exit $?"
    $GPUTUNE warm axpy $one -q --db $database --compile-only 2>&1 >/dev/null
    echo "compiled: exit $?"
    $GPUTUNE show --driver emu -q --db $database 2>&1
    echo "shown: exit $?"
done
# A database made by a newer gputune can still be read.
$GPUTUNE warm axpy $one -q --db new.db | cut -d, -f16
printf '\003\347' | dd of=new.db bs=1 seek=62 conv=notrunc 2>/dev/null # user_version 999
$GPUTUNE show --driver emu -q --db new.db --format csv | cut -d, -f1-2
$GPUTUNE warm axpy $one -q --db new.db | cut -d, -f16
$GPUTUNE warm axpy $one -q --db new.db >/dev/null
echo "exit $?"
$GPUTUNE warm axpy $one -q --db new.db --force 2>&1 >/dev/null
echo "exit $?"
