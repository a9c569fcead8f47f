# emit --as sass finds a disassembler on PATH or in a Python wheel, and fails if there is none.
mkdir bin none
printf '#!/bin/sh\nshift\necho "disassembled: $(cat "$1")"\n' >bin/nvdisasm
chmod +x bin/nvdisasm
PATH="$PWD/bin:$PATH" $FAKE emit axpy --as sass
if ls /usr/local/cuda/bin/nvdisasm /usr/local/cuda/bin/cuobjdump /opt/cuda/bin/nvdisasm \
    /opt/cuda/bin/cuobjdump 2>/dev/null | grep -q .; then
    tail -n +2 "$(dirname "$0")/emit-sass.out" # emit would use the toolkit's
    exit 0
fi
unset CUDA_HOME
wheel=venv/lib/python3.11/site-packages/nvidia/cu13/bin
mkdir -p $wheel
cp bin/nvdisasm $wheel
export HOME="$PWD"
PATH=/usr/bin:/bin VIRTUAL_ENV="$PWD/venv" $FAKE emit axpy --as sass
PATH=none $FAKE emit axpy --as sass 2>&1
echo "exit $?"
