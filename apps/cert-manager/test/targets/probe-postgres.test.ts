import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@certloop/contracts/testing';
import { column, executeSql, querySql } from '@certloop/db';
import {
  createLoneDatabase,
  createTestDatabase,
  describeOnPostgres,
  type TestDatabase,
} from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
    if (!reload) return;
    const loaded = await loadedAt();
    await lone.database.transaction((tx) => executeSql(tx, 'select pg_reload_conf()'));
    // connections that begin later get the new certificate: the process that accepts them is the first to reload
    await until(async () => (await loadedAt()) !== loaded);
  };
  /** When the server read its settings last. */
  const loadedAt = async () => {
    const text = 'select pg_conf_load_time()::text as at';
    const [found] = await lone.database.read((tx) =>
      querySql<{ at: string }>(tx, { at: column.text() }, text),
    );
    return found?.at;
  };
  /** What a probe finds that is due by then. */
  const servedAtProbe = async ({ fqdn }: OwnedFqdn) => {
    place.app.clock.advance(7 * hour);
    await place.app.probe();
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
      expect(await servedAtProbe(owned)).toMatchObject({ class: 'current' });

      await signWith(place, owned.fqdn);
      await install(owned, false);
      const stale = await servedAtProbe(owned);
      expect(stale.class).toBe('stale');
      expect(stale.targets[0]?.addresses[0]?.hint).toMatch(
        /^127\.0\.0\.1:\d+ still serves certificate \w+, .*: install it and reload the server\.$/,
      );
      await install(owned, true);
      expect(await servedAtProbe(owned)).toMatchObject({ class: 'current' });
    },
  );
});
