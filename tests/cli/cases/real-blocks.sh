# Kernels with several parameter blocks, and kernels with tensor maps.
templates=$(dirname "$0")/../../arguments
for name in blocks maps; do
    $GPUTUNE warm "$templates/$name.cu" --driver emu -q --format csv | tail -n +2 | cut -d, -f1,14,15,16
done
# Tensor maps need compute capability 9.0.
$GPUTUNE warm "$templates/maps.cu" --driver emu:a100 2>&1 | grep -o 'on this GPU: .*'
# A kernel that uses tensor maps is compiled for the exact architecture.
hopper=$(dirname "$0")/../../../templates/gemm_bf16.cu
$GPUTUNE emit "$hopper" --driver emu --as cubin --arch sm_90a -o gemm.cubin && head -c 4 gemm.cubin | tail -c 3
echo
# The emulator runs it.
$GPUTUNE run "$hopper" -c "BY=tma CONSUMERS=1" -s m=128 -s n=128 -s k=64 --driver emu -q --format csv | tail -n +2 | grep -o ',ok,'
