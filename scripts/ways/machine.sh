#!/usr/bin/env bash
# Makes the namespaces that it runs in a machine of its own, in which the commands of a page write wherever they like:
#   unshare --mount --net --pid --fork --kill-child --mount-proc bash scripts/ways/machine.sh PLACE COMMAND…
# The project is a copy at PLACE (an overlay), the home is new, and the only network is the one inside. It ends with the
# command.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
place=$1
shift
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /run
over() { # name, what lies below, where
  mkdir -p "/run/ways/$1/upper" "/run/ways/$1/work" "$3"
  mount -t overlay overlay -o "lowerdir=$2,upperdir=/run/ways/$1/upper,workdir=/run/ways/$1/work" "$3"
}
over project "$repository" /run/ways/merged
for folder in etc opt srv var/lib usr/local/bin; do over "${folder//\//-}" "/$folder" "/$folder"; done
mkdir -p "$place" /run/ways/bin /run/ways/log /srv/home
mount --bind /run/ways/merged "$place"
mount -t tmpfs -o mode=1777 none /tmp

ip link set lo up
# the lowest address of its ports otherwise, which changes with each container: others would send to the former one
ip link add ways0 address 02:42:ac:1e:00:01 type bridge
for gateway in 172.30.0.1/24 172.30.1.1/24 172.31.255.1/24; do ip addr add "$gateway" dev ways0; done
# where alerts are sent: an address of the internet, as integrations call no private ones
ip addr add 9.9.9.9/32 dev lo
ip link set ways0 up

for program in docker kubectl systemctl; do
  printf '#!/bin/sh\nexec "%s" "%s/scripts/ways/%s.mjs" "$@"\n' "$(command -v node)" "$place" "$program" \
    >"/run/ways/bin/$program"
  chmod +x "/run/ways/bin/$program"
done
cd "$place"
export PATH=/run/ways/bin:$PATH HOME=/srv/home
exec "$@"
