# What the commands in Tools share: where the checkout is, and how to get what a build needs.
# Sourced, not run.

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# need PACKAGE...: Debian packages, installed if they are missing.
need() {
  missing=
  for package in "$@"; do
    dpkg -s "$package" > /dev/null 2>&1 || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  say "Installing$missing"
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
}

# release PRODUCT: a release build, which needs nothing of the toolchain when it runs; says in $built where it is. All
# commands build in this way, so that one does not build again what another has built.
release() {
  static=
  [ "$(uname)" = Darwin ] || static=--static-swift-stdlib
  # shellcheck disable=SC2086
  swift build -c release --package-path "$root" --product "$1" --traits Command $static
  built=$(swift build -c release --package-path "$root" --show-bin-path)/$1
}

build_evtool() {
  say "Building evtool (release; the first build takes several minutes)"
  release evtool
  evtool=$built
}

# prepare EXTRA...: what a build needs, and the Debian packages EXTRA besides.
prepare() {
  if [ "$(uname)" = Darwin ]; then
    brew --prefix lz4 > /dev/null 2>&1 || {
      echo "Daybook needs liblz4: brew install lz4 (and brew install wordnet for the quickstart)" >&2
      exit 1
    }
  elif command -v dpkg > /dev/null 2>&1; then
    need libsqlite3-dev liblz4-dev "$@"
  else
    echo "Not Debian: make sure that SQLite's and LZ4's headers are installed." >&2
  fi
  command -v swift > /dev/null 2>&1 || {
    echo "Daybook needs Swift 6.2 or later: https://www.swift.org/install" >&2
    exit 1
  }
}

# as_tested: debug builds have the settings of Tools/test from here on, so that no command undoes what another built.
# Library modules are optimized, as the manifest says; tests are not. Overflow still traps.
# A trait is part of each target's settings, so building with others in between compiles all of the package again.
as_tested() {
  export DAYBOOK_OPTIMIZED_TESTS=1
  traits='--traits Macros,Command'
}
