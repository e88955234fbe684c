#!/bin/sh
# Puts the folders of a sandbox where a user without rights can reach them, in its own mount namespace, and becomes that user.
# usage (as root, within `unshare --mount`): launch.sh ROOT GUEST HOME UID COMMAND...
set -eu
root=$1 guest=$2 home=$3 user=$4
shift 4
mount -t tmpfs -o mode=0755,size=64k tmpfs /mnt
mkdir /mnt/root /mnt/guest /mnt/home
mount --bind "$root" /mnt/root
mount --bind "$guest" /mnt/guest
mount --bind "$home" /mnt/home
exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
