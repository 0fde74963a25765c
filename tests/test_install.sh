#!/bin/sh
# The library installed into an empty prefix, or taken as sources, and a program of another project built with it: by make
# and pkg-config, and by Meson. A tool that is not installed is named, and its part is left out.
set -u
. tests/shell.sh
. tests/consumer/shell.sh

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

    mkdir "$work/home"
    for prefix in "build/relative.$$" '~/made'; do
        HOME="$work/home" make -s install PREFIX="$prefix" BUILD="$work/build" >"$work/log" 2>&1
    done
    same a_relative_prefix_is_found_from_elsewhere "-I$source/build/relative.$$/include" \
        "$(cd / && PKG_CONFIG_PATH=$source/build/relative.$$/lib/pkgconfig pkg-config --cflags elelem_stream | tr -d ' ')"
    same a_prefix_in_the_home_folder_is_found "-I$work/home/made/include" \
        "$(PKG_CONFIG_PATH=$work/home/made/lib/pkgconfig pkg-config --cflags elelem_stream | tr -d ' ')"
    rm -r "build/relative.$$"
fi

if has meson && has ninja; then
    consume meson
    mkdir "$work/meson/subprojects"
    ln -s "$source" "$work/meson/subprojects/elelem_stream"
    meson setup --buildtype=plain "$work/meson/build" "$work/meson" >"$work/log" 2>&1 &&
        meson compile -C "$work/meson/build" >>"$work/log" 2>&1
    says a_program_takes_it_as_a_subproject_of_meson "$work/meson/build/consumer"

    meson setup "$work/meson_default" . >"$work/log" 2>&1
    check meson_optimizes_what_it_installs grep -q -e ' -O3 ' "$work/meson_default/build.ninja"
    meson setup --buildtype=plain --prefix="$work/meson_made" --libdir=lib "$work/meson_build" . >"$work/log" 2>&1 &&
        meson install -C "$work/meson_build" >>"$work/log" 2>&1
    check a_shared_library_of_meson_is_called_by_its_minor_version [ -e "$work/meson_made/lib/libelelem_stream.so.${version%.*}" ]
    if has pkg-config; then
        consume meson_installed
        PKG_CONFIG_PATH="$work/meson_made/lib/pkgconfig" meson setup --buildtype=plain --wrap-mode=nofallback \
            "$work/meson_installed/build" "$work/meson_installed" >>"$work/log" 2>&1 &&
            meson compile -C "$work/meson_installed/build" >>"$work/log" 2>&1
        says a_program_finds_what_meson_installed "$work/meson_installed/build/consumer"
    fi
fi
