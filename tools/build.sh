# Sourced by scripts in the top folder, with $build set.

# build_them TARGET...: with PREBUILT=1 uses the existing build folder, on a machine that cannot build
build_them() {
    [ -n "${PREBUILT:-}" ] || make --no-print-directory B="$build" "$@"
}
