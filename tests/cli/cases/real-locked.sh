# A database that another process has locked is reported, and not taken for an empty one.
exec 2>&1
command -v python3 >/dev/null || { echo "no Python here, which takes SQLite's lock" && exit 77; }
one="--driver emu -q --size n=1000 --only VEC=1 --only BLOCK=256 --only UNROLL=1"
$GPUTUNE warm axpy $one --db a.db >/dev/null
mkfifo held let-go
python3 -c '
import sqlite3
database = sqlite3.connect("a.db", isolation_level=None)
database.execute("begin exclusive")
open("held", "w").close()
open("let-go").close()
' &
: <held
exit_of $GPUTUNE show --driver emu --db a.db
$GPUTUNE warm axpy $one --force -t 4 --db a.db >log 2>&1
grep -c "raise the time limit" log
grep -o "are lost; end that process" log
$GPUTUNE warm axpy --driver emu --size n=2000 --only VEC=1 -t 3 --db a.db 2>&1 | grep 'warning: *$' # with no text
: >let-go
wait
$GPUTUNE show --driver emu --db a.db -q --format csv | cut -d, -f1-3
