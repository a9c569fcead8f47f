# a disassembler of one's own on PATH, then none
mkdir bin
printf '#!/bin/sh\nshift\necho "disassembled: $(cat "$1")"\n' >bin/nvdisasm
chmod +x bin/nvdisasm
PATH="$PWD/bin:$PATH" $FAKE emit axpy --as sass
