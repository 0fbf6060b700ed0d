#!/usr/bin/env bash
# Gives each service a database of its own and a role that owns it and is no superuser. Repeat it at any time: on a
# volume of an earlier version, it makes the roles and hands over what the superuser owned. PGHOST, PGPORT and PGUSER
# name the server and its superuser; the argument is the folder of the passwords, /secrets when absent.
set -euo pipefail
secrets=${1:-/secrets}
export PGUSER=${PGUSER:-certloop} PGPASSWORD DATABASE_PASSWORD
PGPASSWORD=$(cat "$secrets/postgres-password")
script=$(dirname "$0")/make-databases.sql

# Handing a table over waits for its transactions, and all others would wait behind that: rather try again.
export PGOPTIONS='-c lock_timeout=2s'
make() { # service
  psql --no-psqlrc --quiet --tuples-only -v ON_ERROR_STOP=1 -v name="${1//-/_}" \
    --dbname postgres --file "$script"
}
for service in cert-manager check-monitor; do
  DATABASE_PASSWORD=$(cat "$secrets/$service-database-password")
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    make "$service" && break
    if [ "$attempt" -ge 10 ]; then
      echo 'if the password was refused, the secrets are not those of this database:' \
        'restore them from a backup (docs/backup-and-restore.md)' >&2
      exit 1
    fi
    sleep 2
  done
done
