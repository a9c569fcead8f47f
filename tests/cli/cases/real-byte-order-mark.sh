# A byte order mark at the start of a template or of an included file is ignored.
export GPUTUNE_DB=:memory:
mark() { { printf '\357\273\277' && cat "$1"; } >"$2"; }
mark "$GPUTUNE_TEMPLATES/axpy.cu" axpy.cu
$GPUTUNE warm ./axpy.cu --driver emu -q -s n=1000 --only VEC=1 --only BLOCK=256 --only UNROLL=1 -f csv |
    cut -d, -f1-4
printf '\n#pragma gputune tunee(X = 1)\n' >own.h
mark own.h marked.h
for header in own.h marked.h; do
    { printf '\357\273\277#include "%s"\n' $header && cat "$GPUTUNE_TEMPLATES/axpy.cu"; } >bad.cu
    $GPUTUNE space ./bad.cu --arch sm_90
done
printf '\357\273\277#pragma gputune tunee(X = 1)\n' >first.cu
$GPUTUNE space ./first.cu --arch sm_90
