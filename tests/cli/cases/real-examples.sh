# Every other template of examples/ can be tuned, at a small size with odd extents, and is in the README.
for template in "$(dirname "$0")"/../../../examples/*.cu; do
    case $template in
    */block_reduce.cu | */expdist.cu) continue ;; # real-examples-cub
    */bitonic.cu) size="n=512" ;;
    */coulomb.cu) size="n=21" ;;
    */softmax.cu) size="rows=8 columns=100" ;;
    */spmv.cu) size="rows=200 columns=150 nonzeros=1600" ;;
    */bias.cu) size="rows=3 columns=301" ;;
    */convolution.cu) size="w=40 h=20" ;;
    */convolution_tiled.cu) size="w=67 h=35 FILTER_W=5 FILTER_H=3" ;;
    */sepconv.cu) size="w=67 h=35 FILTER=5" ;;
    */stencil.cu | */resize.cu | */zeromeanfilter.cu) size="w=67 h=35" ;;
    */matmul.cu) size="m=33 n=20 k=17" ;;
    *) size="n=500" ;;
    esac
    $GPUTUNE warm "$template" --size "$size" --driver emu --max-variants 2 -q --format csv |
        tail -n +2 | cut -d, -f1,2
    grep -q "\`${template##*/}\`" "$(dirname "$template")/README.md" || echo "not in examples/README.md: $template"
done
