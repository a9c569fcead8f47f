# Sourced by the scripts here, from the top of the tree, with $build set.

# build_them TARGET...: PREBUILT=1 takes what lies in the build folder, on a machine that cannot build
build_them() {
    [ -n "${PREBUILT:-}" ] || make --no-print-directory B="$build" "$@"
}
