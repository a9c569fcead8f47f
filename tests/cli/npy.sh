# Sourced by cases with .npy files. npy NAME DESCR SHAPE writes stdin to NAME, after the header of numpy.save().
npy() {
    header=$(printf "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" "$2" "$3")
    { printf '\223NUMPY\001\000\166\000%-117s\n' "$header" && cat; } >"$1"
}
