# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# To be sourced: a bare Debian in a root folder of its own. Needs root, debootstrap and unshare.

can_have_a_root() {
  [ "$(id -u)" = 0 ] && command -v debootstrap unshare chroot >/dev/null && unshare --mount true 2>/dev/null
}

# bare_debian SUITE FOLDER: the minimal system of a release, from this machine's package archive; does nothing where it is there.
bare_debian() {
  local suite=$1 root=$2 mine mirror file
  [ ! -e "$root/ready" ] || return 0
  rm -rf --one-file-system "$root"
  mine=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)*\([^ ]*\).*/\2/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" ${mirror:+"$mirror"} || return 1
  rm -f "$root/etc/apt/sources.list"
  cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
  if [ "$suite" = "$mine" ]; then
    cp -r /etc/apt/sources.list.d "$root/etc/apt/" && cp /etc/apt/sources.list "$root/etc/apt/" 2>/dev/null
  else # only Debian's own archive: another's may have nothing for that release
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
      [ ! -e "$file" ] || sed "s/\b$mine\b/$suite/g" "$file" >"$root$file"
    done
  fi
  in_root "$root" apt-get -q update && touch "$root/ready"
}

# in_root ROOT COMMAND...: nothing of this machine's environment but the proxy is known there.
in_root() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null
  unshare --mount --propagation private bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" && mount -t tmpfs -o size=512m tmpfs "$root/dev/shm" || exit 1
    exec chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"' _ "$@" </dev/null
}
