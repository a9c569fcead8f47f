# Names from a database may come from anybody, so escape sequences in them are not printed.
exec 2>&1
unset GPUTUNE_DB
name=$(printf 'a\033]0;title\007\033[31m\302\2335m\177b\303\251.db')
echo "no database" >"$name"
for format in table csv; do
    $GPUTUNE doctor --driver emu --db "$name" --format $format 2>/dev/null | grep '[.]db' | cut -c1-70
done
$GPUTUNE show --driver emu --db "$name"
# Commands that show records print no control character except newlines.
for arguments in "show" "show --all" "show --why" "show --any-gpu" "show --all -f csv" "report"; do
    GPUTUNE_FAKE=escapes $FAKE $arguments -q >out
    tr -d '\n[:print:]\200-\377' <out | wc -c
done
GPUTUNE_FAKE=escapes $FAKE show -q | sed -n 2p | cut -c1-24
