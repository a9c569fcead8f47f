# A kernel that is a C++ template in a namespace, with types and constants as arguments.
template=$(dirname "$0")/../../../examples/axpy_typed.cu
$GPUTUNE warm "$template" --driver emu -q --size n=1000 --size T=float,double --format csv | cut -d, -f1-3,16
$GPUTUNE show --driver emu -q --format csv | cut -d, -f1-3
$GPUTUNE emit "$template" --driver emu --size T=double --config BLOCK=128 | tail -n 1
