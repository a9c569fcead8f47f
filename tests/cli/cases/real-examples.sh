# every complete template of examples/ tunes as it is, at a small size
export GPUTUNE_DB=$PWD/x.db
for template in "$(dirname "$0")"/../../../examples/*.cu; do
    case $template in
    */block_reduce.cu | */softmax.cu) size="rows=8 columns=100" ;;
    */gemm_wgmma.cu) continue ;; # runs on a GPU only
    */spmv.cu) size="rows=200 columns=150 nonzeros=1600" ;;
    */lookup.cu) size="n=500 entries=300" ;;
    */convolution.cu) size="w=40 h=20" ;;
    */matmul.cu) size="m=33 n=20 k=17" ;;
    *) size="n=500" ;;
    esac
    $GPUTUNE warm "$template" --size "$size" --driver emu --max-variants 2 --time-limit 60 -q --format csv |
        tail -n +2 | cut -d, -f1,2
done
