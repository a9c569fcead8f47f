exit_of $FAKE wram
$FAKE frobnicate
