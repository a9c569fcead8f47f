# merge copies the results of two databases into a third.
exec 2>&1
warm() { # DATABASE SIZE
    $GPUTUNE warm axpy --driver emu -q --db "$1" --size n="$2" --only VEC=1,4 --only BLOCK=64 --only UNROLL=1 >/dev/null
}
warm a.db 1000
warm b.db 2000
$GPUTUNE merge a.db b.db -o c.db
$GPUTUNE merge a.db b.db -o c.db
$GPUTUNE show --driver emu -q --db c.db --format csv | cut -d, -f1,2
$GPUTUNE show --driver emu -q --db c.db --all --format csv | tail -n +2 | wc -l
# If one database is unusable, nothing is merged and no file is created.
echo "no database" >bad.db
exit_of $GPUTUNE merge a.db bad.db -o d.db
exit_of $GPUTUNE merge a.db none.db -o d.db
exit_of $GPUTUNE show --driver emu -q --db d.db
chmod go+w a.db
exit_of $GPUTUNE merge a.db -o d.db
exit_of $GPUTUNE merge a.db -o ''
exit_of $GPUTUNE merge -o d.db
