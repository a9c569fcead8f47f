# embed writes a header with the template and the files beside it that it includes, except gputune's own.
mkdir parts
printf '#include "gputune.cuh"\n#include "parts/scale.cuh"\n#include <absent>\n// \303\244\n' >mine.cu
printf '  #  include "deep.cuh"\n#include "nowhere.cuh"\n' >parts/scale.cuh
printf '#define N 2\n' >parts/deep.cuh
$GPUTUNE embed mine.cu
$GPUTUNE embed mine.cu -o mine.h
$GPUTUNE embed mine.cu | cmp - mine.h
# The header compiles without warnings in C and in C++.
printf '#include "mine.h"\nint add(gputune *t) { return mine_cu_add(t); }\n' >user.c
include=$(dirname "$0")/../../../include
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$include" -c user.c -o user.o
g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$include" -x c++ -c user.c -o user.o
# These files cannot be embedded.
$GPUTUNE embed absent.cu || echo "exit $?"
printf '#include "same.cuh"\n#include "parts/other.cuh"\n' >twice.cu
printf '#include "same.cuh"\n' >parts/other.cuh
printf '1\n' >same.cuh
printf '2\n' >parts/same.cuh
$GPUTUNE embed twice.cu || echo "exit $?"
