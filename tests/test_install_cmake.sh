#!/bin/sh
# The library fetched or found by CMake, with a program of another project; and its files for ESP-IDF and Zephyr.
set -u
. tests/shell.sh
. tests/consumer/shell.sh
has cmake || exit 0

consume fetched
cmake -S "$work/fetched" -B "$work/fetched/build" -DFETCHED="$source" -DCMAKE_BUILD_TYPE=None >"$work/log" 2>&1 &&
    cmake --build "$work/fetched/build" >>"$work/log" 2>&1
says a_program_fetches_it_by_cmake "$work/fetched/build/consumer"

cmake -S . -B "$work/default" >"$work/log" 2>&1
check cmake_optimizes_what_it_installs grep -qx CMAKE_BUILD_TYPE:STRING=Release "$work/default/CMakeCache.txt"

for shared in OFF ON; do
    prefix=$work/cmake_$shared
    cmake -S . -B "$prefix/build" -DBUILD_SHARED_LIBS=$shared -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$prefix/made" \
        >"$work/log" 2>&1 && cmake --build "$prefix/build" --target install >>"$work/log" 2>&1
    consume "installed_$shared"
    cmake -S "$work/installed_$shared" -B "$work/installed_$shared/build" -DCMAKE_PREFIX_PATH="$prefix/made" \
        >>"$work/log" 2>&1 && cmake --build "$work/installed_$shared/build" >>"$work/log" 2>&1
    says "a_program_finds_it_by_cmake_shared_$shared" "$work/installed_$shared/build/consumer"
    [ $shared = ON ] && check a_shared_library_of_cmake_is_called_by_its_minor_version \
        [ -e "$(find "$prefix/made" -name "libelelem_stream.so.${version%.*}")" ]
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
