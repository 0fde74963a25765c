#!/bin/sh
# The library installed into an empty prefix, or taken as sources, and a program of another project built with it: by make
# and pkg-config, by CMake, by Meson. A tool that is not installed is named, and its part is left out.
set -u
. tests/shell.sh
source=$PWD
version=$(sed -n 's/^#define ELELEM_VERSION "\(.*\)"$/\1/p' elelem_stream.h)
expected="hello from $version, chat"

has() {
    command -v "$1" >/dev/null && return
    echo "$1 is not installed: no program was built with it"
    return 1
}

# says NAME PROGRAM: what the consumer prints, and what its build said if there is none.
says() {
    actual=$("$2" 2>&1)
    [ "$actual" = "$expected" ] || cat "$work/log"
    same "$1" "$expected" "$actual"
}

# consume FOLDER: a copy of the consumer's sources.
consume() {
    cp -r tests/consumer "$work/$1"
}

make -s install PREFIX="$work/made" CFLAGS=-O0 BUILD="$work/build" >"$work/log" 2>&1
check make_install_has_header_and_library [ -f "$work/made/include/elelem_stream.h" -a -f "$work/made/lib/libelelem_stream.a" ]

if has pkg-config; then
    export PKG_CONFIG_PATH="$work/made/lib/pkgconfig"
    # shellcheck disable=SC2046 # flags are words
    ${CC:-cc} -o "$work/by_pkg_config" tests/consumer/main.c $(pkg-config --cflags --libs elelem_stream) >"$work/log" 2>&1
    says a_program_finds_it_by_pkg_config "$work/by_pkg_config"
    same pkg_config_knows_the_version "$version" "$(pkg-config --modversion elelem_stream)"
    make -s uninstall PREFIX="$work/made" >"$work/log" 2>&1
    same make_uninstall_leaves_no_file '' "$(find "$work/made" -type f)"
fi

if has cmake; then
    consume fetched
    cmake -S "$work/fetched" -B "$work/fetched/build" -DFETCHED="$source" -DCMAKE_BUILD_TYPE=None >"$work/log" 2>&1 &&
        cmake --build "$work/fetched/build" >>"$work/log" 2>&1
    says a_program_fetches_it_by_cmake "$work/fetched/build/consumer"

    for shared in OFF ON; do
        prefix=$work/cmake_$shared
        cmake -S . -B "$prefix/build" -DBUILD_SHARED_LIBS=$shared -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$prefix/made" \
            >"$work/log" 2>&1 && cmake --build "$prefix/build" --target install >>"$work/log" 2>&1
        consume "installed_$shared"
        cmake -S "$work/installed_$shared" -B "$work/installed_$shared/build" -DCMAKE_PREFIX_PATH="$prefix/made" \
            >>"$work/log" 2>&1 && cmake --build "$work/installed_$shared/build" >>"$work/log" 2>&1
        says "a_program_finds_it_by_cmake_shared_$shared" "$work/installed_$shared/build/consumer"
    done

    for system in ESP_PLATFORM ZEPHYR; do
        consume $system
        cmake -S "$work/$system/firmware" -B "$work/$system/build" -D$system=1 -DSOURCES="$source" -DCMAKE_BUILD_TYPE=None \
            >"$work/log" 2>&1 && cmake --build "$work/$system/build" >>"$work/log" 2>&1
        says "its_files_for_$system""_build_a_library" "$work/$system/build/consumer"
    done

    if has pkg-config; then
        found=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/cmake_OFF/made" -name '*.pc')") pkg-config --modversion elelem_stream)
        same the_file_for_pkg_config_that_cmake_installs_is_right "$version" "$found"
    fi
fi

if has meson && has ninja; then
    consume meson
    mkdir "$work/meson/subprojects"
    ln -s "$source" "$work/meson/subprojects/elelem_stream"
    meson setup --buildtype=plain "$work/meson/build" "$work/meson" >"$work/log" 2>&1 &&
        meson compile -C "$work/meson/build" >>"$work/log" 2>&1
    says a_program_takes_it_as_a_subproject_of_meson "$work/meson/build/consumer"

    meson setup --buildtype=plain --prefix="$work/meson_made" --libdir=lib "$work/meson_build" . >"$work/log" 2>&1 &&
        meson install -C "$work/meson_build" >>"$work/log" 2>&1
    if has pkg-config; then
        consume meson_installed
        PKG_CONFIG_PATH="$work/meson_made/lib/pkgconfig" meson setup --buildtype=plain --wrap-mode=nofallback \
            "$work/meson_installed/build" "$work/meson_installed" >>"$work/log" 2>&1 &&
            meson compile -C "$work/meson_installed/build" >>"$work/log" 2>&1
        says a_program_finds_what_meson_installed "$work/meson_installed/build/consumer"
    fi
fi
