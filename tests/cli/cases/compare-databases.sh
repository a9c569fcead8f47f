touch a.db b.db
$FAKE compare a.db b.db
echo "exit $?"
$FAKE compare a.db missing.db
echo "exit $?"
$FAKE compare axpy a.db missing.db
