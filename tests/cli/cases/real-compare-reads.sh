# compare only reads: it creates no file, not even beside a file that is not a database.
exec 2>&1
one="--driver emu -q --size n=1000 --only VEC=1 --only BLOCK=256 --only UNROLL=1"
$GPUTUNE warm axpy $one --db a.db >/dev/null
echo hello >x.txt
mkdir folder
: >empty.db
for other in a.db x.txt folder empty.db missing.db; do
    $GPUTUNE compare --driver emu a.db $other
    echo "exit $?"
done
# Comparing configurations needs two of them.
$GPUTUNE compare --driver emu axpy "VEC=4"
echo "exit $?"
$GPUTUNE compare --driver emu ./axpy.cu "BLOCK=6.4"
echo "exit $?"
ls
