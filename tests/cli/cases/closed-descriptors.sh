# Output to a closed descriptor never ends up in a file that gets the descriptor's number.
$FAKE devices >&-
echo "exit $?"
$FAKE devices <&- 2>&- | cut -c1-14
$FAKE devices >&- 2>&-
echo "exit $?"
$FAKE emit axpy -o out.cu >&- 2>&- <&-
echo "exit $?"
cat out.cu
one="--driver emu -q -s n=1000 --only VEC=1 --only BLOCK=256 --only UNROLL=1"
$GPUTUNE warm axpy $one --db a.db >&- 2>&-
echo "exit $?"
$GPUTUNE show --driver emu -q --db a.db -f csv | cut -d, -f1,2
