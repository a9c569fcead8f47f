# An unreadable file is a usage error on the command line, and a template's error if the template includes it.
export GPUTUNE_DRIVER=emu GPUTUNE_DB=:memory:
$GPUTUNE template absent.cu || echo "exit $?"
mkdir folder.cuh
printf '#include "folder.cuh"\n#pragma gputune kernel(k)\n' >include.cu
$GPUTUNE space ./include.cu 2>&1 | sed "s|$PWD/||"
$GPUTUNE space ./include.cu 2>/dev/null || echo "exit $?"
$GPUTUNE show nosuch || echo "exit $?"
cp "$GPUTUNE_TEMPLATES/axpy.cu" mine.cu
export GPUTUNE_DB=mine.db
$GPUTUNE warm ./mine.cu -q -s n=1000 --only VEC=1 --only UNROLL=1 --format json | grep -o '"variants": [0-9]*, "failed": [0-9]*'
$GPUTUNE show ./mine.cu --format json | grep -o '"failed": [0-9a-z]*'
$GPUTUNE wisdom export ./mine.cu | grep -c '^entry'
