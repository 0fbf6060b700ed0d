#!/usr/bin/env bash
# Upgrades a running compose stack to the version of this folder, one replica after the other:
#   bash docker/upgrade.sh
# With two replicas behind the load balancer, no request fails; a single process is unavailable for a few seconds.
# COMPOSE_ARGS names the compose files, "-f docker/compose.yaml -f docker/compose.scale.yaml" when absent.
# NO_BUILD=1 uses existing images, such as those that you pulled. If a run is interrupted, run the script again:
# it skips containers that are already new.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra files <<<"${COMPOSE_ARGS:--f docker/compose.yaml -f docker/compose.scale.yaml}"
compose() { docker compose --progress quiet "${files[@]}" "$@"; }
say() { printf '== %s\n' "$*"; }

[ -n "$(compose ps -q)" ] || { echo "nothing of this stack runs: docker compose ${files[*]} up --wait" >&2; exit 1; }

if [ -z "${NO_BUILD:-}" ]; then
  say 'building images'
  compose build --quiet
fi

say 'making secrets that the new version needs'
compose run --rm -T --no-deps secrets

say 'making roles and databases that the new version needs'
compose run --rm -T --no-deps databases

for service in check-monitor cert-manager; do
  say "migrating the database of $service"
  compose run --rm -T --no-deps "$service" node dist/src/cli.js migrate
done

# Whether a container has an old image or old settings.
is_outdated() { # container, service
  local name
  name=$(docker container inspect --format '{{.Config.Image}}' "$1")
  [ "$(docker container inspect --format '{{.Image}}' "$1")" != "$(docker image inspect --format '{{.Id}}' "$name")" ] \
    || [ "$(docker container inspect --format '{{index .Config.Labels "com.docker.compose.config-hash"}}' "$1")" \
      != "$(compose config --hash "$2" | cut -d ' ' -f 2)" ]
}

# Waits until the new containers of a service respond. Old ones of some versions call themselves unhealthy once their
# database is migrated, and serve on.
await_new() { # service
  local container state health status restarts
  for container in $(compose ps -aq "$1"); do
    is_outdated "$container" "$1" && continue
    while state=$(docker container inspect \
      --format '{{.State.Health.Status}} {{.State.Status}} {{.RestartCount}}' "$container"); do
      read -r health status restarts <<<"$state"
      [ "$health" != healthy ] || break
      # what ends at its start is started again and again, and each time it has the whole start period
      if [ "$health" != starting ] || [ "$status" = exited ] || [ "$restarts" -gt 2 ]; then
        echo "a new $1 does not start ($health, $status, restarted $restarts times): docker logs $container" >&2
        exit 1
      fi
      sleep 1
    done
  done
}

# dummy-ca last: it may move to a network that only the new cert-manager has
for service in check-monitor cert-manager dummy-ca; do
  for container in $(compose ps -q "$service"); do
    is_outdated "$container" "$service" || continue
    say "replacing a $service"
    # running requests finish first
    docker stop --time 30 "$container" >/dev/null
    docker rm "$container" >/dev/null
    # with its dependencies: otherwise the next `up` would find other settings and replace everything at once
    compose up -d --no-recreate --no-build "$service"
    await_new "$service"
  done
done

say 'starting what is new in this version'
# the ended job of the old image; otherwise the next `up` would replace it and all dependent services
compose rm -f monitor-project >/dev/null
compose up -d --no-recreate --no-build --wait
say 'done: node docker/smoke.mjs says whether the loop is closed'
