$FAKE emit axpy
$FAKE emit axpy --as ptx --config "VEC=4" --arch sm_90
$FAKE emit axpy --output code.cu && cat code.cu
exit_of $FAKE emit axpy --config "BLOK=64"
exit_of $FAKE emit axpy --as cubi
exit_of $FAKE emit axpy --output /nonexistent/x
# --rule writes a header, for several architectures
$FAKE emit axpy --rule
# on an emulator, no size is reduced for it
GPUTUNE_FAKE=nogpu $FAKE emit axpy --rule --driver emu
$FAKE emit axpy --rule --arch sm_80 --arch sm_90 --api runtime -o axpy.h && cat axpy.h
exit_of $FAKE emit axpy --rule --as ptx
exit_of $FAKE emit axpy --arch sm_80 --arch sm_90
# emit accepts one configuration; two -c options are not combined.
$FAKE emit axpy -c VEC=4 -c BLOCK=128
