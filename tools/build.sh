# Sourced by scripts in the top folder, with $build set.

# build_them TARGET...: builds; with PREBUILT=1 uses the existing build folder, for machines that cannot build
build_them() {
    [ -n "${PREBUILT:-}" ] || make --no-print-directory B="$build" "$@"
}
