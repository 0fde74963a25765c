#!/bin/sh
# The manifests of package managers: all have the version of the header, and name files that are there.
set -u
. tests/shell.sh
version=$(sed -n 's/^#define ELELEM_VERSION "\(.*\)"$/\1/p' parts/base.h)

# version_of FILE COMMAND...: it prints the version in it.
version_of() {
    name="the_version_in_$(echo "$1" | tr -c 'a-zA-Z0-9\n' _)_is_that_of_the_header"
    shift
    same "$name" "$version" "$("$@")"
}

# The text of a member of a JSON file, by the project's own command.
json_text() {
    elelem-json --join "$1" | sed -n 's/^{"path":'"$2"',"kind":"string","text":"\(.*\)"}$/\1/p'
}

version_of elelem_stream.h sed -n '1s/^\/\* elelem_stream.h \([0-9.]*\) .*/\1/p' elelem_stream.h
version_of meson.build sed -n "s/^project(.*version: '\([0-9.]*\)',.*license.*/\1/p" meson.build
version_of conanfile.py sed -n 's/^    version = "\(.*\)"$/\1/p' conanfile.py
version_of library.json json_text library.json '\["version"\]'
version_of library.properties sed -n 's/^version=//p' library.properties
version_of idf_component.yml sed -n 's/^version: "\(.*\)"$/\1/p' idf_component.yml
version_of packaging/vcpkg/vcpkg.json json_text packaging/vcpkg/vcpkg.json '\["version-semver"\]'

# are_there FILE...: elelem.hpp is optional.
are_there() {
    for named; do
        [ "$named" = elelem.hpp ] || [ -e "$named" ] || { echo "  not there: $named"; return 1; }
    done
}

# shellcheck disable=SC2046 # names are words
{
    check files_that_library_json_exports_are_there are_there $(json_text library.json '\["export","include",[0-9]*\]') \
        $(json_text library.json '\["headers"\]') $(json_text library.json '\["build","srcFilter",1\]' | sed 's/^+<\(.*\)>$/\1/')
    check folders_that_idf_component_yml_excludes_are_there are_there $(sed -n 's/^    - "\(.*\)\/\*\*\/\*"$/\1/p' idf_component.yml)
    check files_that_conanfile_py_exports_are_there are_there \
        $(sed -n '/exports_sources/,/)$/p' conanfile.py | grep -o '"[^"]*"' | tr -d '"')
    check files_that_library_properties_includes_are_there are_there $(sed -n 's/^includes=//p' library.properties)
    check files_of_the_zephyr_module_are_there are_there \
        $(sed -n 's/^  kconfig: //p; s/^  cmake: \(.*\)/\1\/CMakeLists.txt/p' zephyr/module.yml) \
        $(sed -n 's/.*sources(\.\.\/\(.*\))/\1/p' zephyr/CMakeLists.txt)
}

# tracked FILE...: a checkout has them, so that a package that is built from one is whole. (An archive has no list of its files.)
tracked() {
    git ls-files >"$work/files" 2>"$work/log" && [ -s "$work/files" ] || { echo '# no checkout'; return; }
    for named; do grep -qx "$named" "$work/files" || { echo "  not in the checkout: $named"; return 1; }; done
}
for manifest in CMakeLists.txt meson.build packaging/elelem_stream.pc.in packaging/vcpkg/vcpkg.json packaging/vcpkg/portfile.cmake conanfile.py \
    library.json library.properties idf_component.yml zephyr/module.yml zephyr/CMakeLists.txt zephyr/Kconfig \
    elelem_stream.h elelem_stream.c elelem.hpp LICENSE README.md CHANGELOG.md; do
    check "the_checkout_has_$(echo $manifest | tr -c 'a-zA-Z0-9\n' _)" tracked $manifest
done

for json in library.json packaging/vcpkg/vcpkg.json; do
    check "$(echo $json | tr -c 'a-zA-Z0-9\n' _)_is_json" sh -c "elelem-json $json >/dev/null"
done
for yaml in idf_component.yml zephyr/module.yml; do
    check "$(echo $yaml | tr -c 'a-zA-Z0-9\n' _)_is_yaml" sh -c "python3 -c 'import yaml' 2>/dev/null || { echo '# no yaml for python3'; exit 0; }
        python3 -c 'import sys, yaml; sys.exit(not isinstance(yaml.safe_load(open(\"$yaml\")), dict))'"
done
same zephyr_may_leave_out_each_shape "$(sed -n 's/^SHAPES = //p' Makefile)" \
    "$(sed -n 's/^    foreach(shape \(.*\))$/\1/p' zephyr/CMakeLists.txt)"
same and_has_a_symbol_for_each "$(sed -n 's/^SHAPES = //p' Makefile)" \
    "$(sed -n 's/^config ELELEM_STREAM_//p' zephyr/Kconfig | tr '\n' ' ' | sed 's/ $//')"

for member in name version author maintainer sentence paragraph category url architectures; do
    check "library_properties_has_$member" grep -q "^$member=." library.properties
done
check lines_of_library_properties_are_members_or_comments sh -c '! grep -vE "^(#.*|[a-z]+=.+)$" library.properties'
check conanfile_py_is_python sh -c 'command -v python3 >/dev/null || { echo "python3 is not installed"; exit 0; }
    python3 -c "import ast; ast.parse(open(\"conanfile.py\").read())"'
