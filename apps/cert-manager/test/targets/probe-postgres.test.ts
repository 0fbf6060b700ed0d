import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { column, executeSql, querySql } from '@certloop/db';
import {
  createLoneDatabase,
  createTestDatabase,
  describeOnPostgres,
  type TestDatabase,
} from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  addTarget,
  newestOf,
  type OwnedFqdn,
  ownedFqdn,
  probing,
  servedOf,
} from '../support/monitor/served-place.js';
import { type RenewalPlace, signWith, startRenewing } from '../support/renewals.js';

const hour = 3_600_000;
const isGiven = process.env['TEST_DATABASE_URL'] !== undefined;
if (isGiven)
  process.stderr.write('SKIPPED: the PostgreSQL at TEST_DATABASE_URL gets no certificate of a test\n');

describeOnPostgres('a PostgreSQL server as a target', () => {
  let lone: TestDatabase;
  let stored: TestDatabase;
  let place: RenewalPlace;
  let port: number;

  beforeAll(async () => {
    lone = await createLoneDatabase('postgres', { entities: () => [], migrations: [] });
    port = Number(new URL(lone.url).port);
    place = await startRenewing(
      async (schema) => {
        stored = await createTestDatabase('sqlite', schema);
        return stored;
      },
      { environment: probing(port) },
    );
  });
  afterAll(async () => {
    await place.close();
    await stored.drop();
    await lone.drop();
  });

  /** Installs the newest certificate of the FQDN, and reloads the server where it is to serve it. */
  const install = async (owned: OwnedFqdn, reload: boolean) => {
    const { cert, key } = await newestOf(place.app, owned);
    const [found] = await lone.database.read((tx) =>
      querySql<{ folder: string }>(
        tx,
        { folder: column.text() },
        "select current_setting('data_directory') as folder",
      ),
    );
    const folder = found?.folder ?? '';
    const { uid, gid } = await stat(folder);
    for (const [name, content] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const file = join(folder, name);
      await writeFile(file, content, { mode: 0o600 });
      await chown(file, uid, gid);
    }
    const settings = join(folder, 'postgresql.auto.conf');
    const before = await readFile(settings, 'utf8');
    if (!before.includes('ssl')) await writeFile(settings, `${before}ssl = on\n`);
    if (reload) await lone.database.transaction((tx) => executeSql(tx, 'select pg_reload_conf()'));
  };
  /** The class after a probe, once it is this one: the server reloads in its own time. */
  const classAfterProbe = async ({ fqdn }: OwnedFqdn, expected: string) => {
    for (let tries = 0; tries < 50; tries += 1) {
      place.app.clock.advance(7 * hour);
      await place.app.probe();
      if ((await servedOf(place.app, fqdn)).class === expected) break;
      await pause(100);
    }
    return servedOf(place.app, fqdn);
  };

  (isGiven ? test.skip : test)(
    'is followed by STARTTLS from plain text over its reload to the newest',
    async () => {
      const owned = await ownedFqdn(place, 'db.example.org');
      await addTarget(place.app, owned.fqdn, {
        host: '127.0.0.1',
        port,
        protocol: 'postgres',
        graceSeconds: 3600,
      });
      await place.app.probe();
      const plain = await servedOf(place.app, owned.fqdn);
      expect(plain.targets[0]?.addresses[0]).toMatchObject({
        class: 'unreachable',
        stage: 'preamble',
        failure: 'starttls_not_offered',
      });
      await install(owned, true);
      expect(await classAfterProbe(owned, 'current')).toMatchObject({ class: 'current' });

      await signWith(place, owned.fqdn);
      await install(owned, false);
      const stale = await classAfterProbe(owned, 'stale');
      expect(stale.targets[0]?.addresses[0]?.hint).toMatch(
        /^127\.0\.0\.1:\d+ still serves certificate \w+, .*: install it and reload the server\.$/,
      );
      await install(owned, true);
      expect(await classAfterProbe(owned, 'current')).toMatchObject({ class: 'current' });
    },
  );
});
