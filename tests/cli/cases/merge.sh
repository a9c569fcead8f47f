# Messages of merge, and mistakes that it refuses.
$FAKE merge a.db b.db -o c.db
$FAKE merge absent.db -o c.db
echo "exit $?"
$FAKE merge a.db
echo "exit $?"
$FAKE merge -o c.db
echo "exit $?"
