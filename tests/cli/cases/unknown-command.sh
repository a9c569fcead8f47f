$FAKE wram
echo "exit $?"
$FAKE frobnicate
