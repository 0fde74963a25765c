#!/bin/sh
# tests/proofs/install.sh FOLDER
#
# Debian 12 has no cbmc; Debian 13 has. Its package, and the libraries that it was built with, are unpacked into the folder, and
# nothing outside of it changes. FOLDER/cbmc runs it.
set -eu
folder=$1
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/debs" "$folder/root"
folder=$(cd "$folder" && pwd)
: >"$folder/status"
archive=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk '$2 !~ /-/ { print $1; exit }') # where this machine's packages are from
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >"$folder/sources.list"
apt="-o Dir::Etc::sourcelist=$folder/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$folder/lists
    -o Dir::Cache=$folder/cache -o Dir::State::status=$folder/status -o APT::Sandbox::User=root"
# shellcheck disable=SC2086 # options are words
(cd "$folder/debs" && apt-get $apt update -q && apt-get $apt download -q cbmc minisat libc6 libstdc++6 libgcc-s1 zlib1g)
for package in "$folder"/debs/*.deb; do
    dpkg -x "$package" "$folder/root"
done
libraries=$folder/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)
cat >"$folder/cbmc" <<END
#!/bin/sh
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries:$folder/root/usr/lib" "$folder/root/usr/bin/cbmc" "\$@"
END
chmod +x "$folder/cbmc"
"$folder/cbmc" --version
