import { randomBytes } from 'node:crypto';
import type { Database } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger, createMovableClock, parseKeyRing } from '@certloop/server';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import {
  ensureProviders,
  type ProviderAddresses,
} from '../../src/providers/changes/ensure-providers.service.js';
import { listProviders, providers, updateProvider } from '../../src/providers/providers.repository.js';
import { encryptionCanaries } from '../../src/providers/secrets/canaries.repository.js';
import { proveKeyRing } from '../../src/providers/secrets/encryption.service.js';

const clock = createMovableClock(new Date('2026-03-01T12:00:00.000Z'));
const logger = createLogger({ service: 'cert-manager', level: 'silent' });
const line = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describeEachDialect('the start', (open) => {
  let db: Database;

  beforeAll(async () => {
    ({ database: db } = await open(schema));
  });
  beforeEach(() =>
    db.transaction(async (tx) => {
      await tx.clear(encryptionCanaries);
      await tx.createQueryBuilder().delete().from(providers).execute();
    }),
  );

  describe('with encryption keys', () => {
    const start = (...lines: string[]) =>
      proveKeyRing(
        { db, clock },
        lines.length === 0 ? undefined : parseKeyRing(lines.join('\n'), 'cert-manager'),
      );
    const canaries = () => db.read((tx) => tx.find(encryptionCanaries, { order: { keyId: 'ASC' } }));

    test('stores one canary over several starts', async () => {
      const key = line('a');
      await start(key);
      const [first] = await canaries();
      await start(key);
      expect(await canaries()).toEqual([first]);
    });

    test('refuses another key of the same name, and changes nothing', async () => {
      await start(line('a'));
      const before = await canaries();
      await expect(start(line('a'))).rejects.toThrow(
        'ENCRYPTION_KEYS: the key "a" is not the one that this database was encrypted with',
      );
      expect(await canaries()).toEqual(before);
    });

    test('refuses other keys altogether', async () => {
      await start(line('a'));
      await expect(start(line('b'))).rejects.toThrow(
        'ENCRYPTION_KEYS: the key "a" that this database was encrypted with is missing',
      );
    });

    test('names the file of the keys and the way back', async () => {
      await start(line('a'));
      const ring = parseKeyRing(line('b'), 'cert-manager');
      await expect(proveKeyRing({ db, clock }, ring, 'ENCRYPTION_KEYS (/secrets/keys)')).rejects.toThrow(
        'ENCRYPTION_KEYS (/secrets/keys): the key "a" that this database was encrypted with is missing: restore it from a backup (docs/backup-and-restore.md)',
      );
    });

    test('refuses to go on without any', async () => {
      await start(line('a'));
      await expect(start()).rejects.toThrow('this database contains encrypted secrets: set ENCRYPTION_KEYS');
    });

    test('requires no keys if nothing is encrypted', async () => {
      await expect(start()).resolves.toBeUndefined();
      expect(await canaries()).toEqual([]);
    });

    test('accepts a new active key in addition to the old one, and then requires both', async () => {
      const [a, b] = [line('a'), line('b')];
      await start(a);
      await start(b, a);
      expect((await canaries()).map(({ keyId }) => keyId)).toEqual(['a', 'b']);
      await expect(start(b)).rejects.toThrow('the key "a"');
      await expect(start(a)).rejects.toThrow('the key "b"');
    });

    test('fails if the canary is missing but secrets exist', async () => {
      await ensureProviders({ db, clock, logger }, {});
      const [row] = await db.read(listProviders);
      await db.transaction((tx) =>
        updateProvider(tx, row?.id ?? '', { secrets: { 'eab.hmacKey': 'v1.a.b.c.d' } }),
      );
      await expect(start(line('a'))).rejects.toThrow('the proof of their key is missing');
      await expect(start()).rejects.toThrow('set ENCRYPTION_KEYS');
      expect(await canaries()).toEqual([]);
    });

    test('of two processes at once stores one canary', async () => {
      const key = line('a');
      await Promise.all([start(key), start(key), start(key)]);
      expect(await canaries()).toHaveLength(1);
    });
  });

  describe('with addresses in the environment', () => {
    const start = async (addresses: ProviderAddresses) => {
      await ensureProviders({ db, clock, logger }, addresses);
      return db.read(listProviders);
    };
    const baseUrl = 'http://127.0.0.1:3002';

    test('creates both providers once, in a stable order', async () => {
      const first = await start({});
      expect(first.map(({ name, enabled, config }) => [name, enabled, config])).toEqual([
        ['dummy-ca', false, null],
        ['acme', false, null],
      ]);
      expect(await start({})).toEqual(first);
    });

    test('configures and enables the named providers, also if the addresses are added later', async () => {
      const [dummyCa] = await start({ 'dummy-ca': baseUrl });
      expect(dummyCa).toMatchObject({ enabled: true, config: { baseUrl, validityDays: 365 } });
      const [, acme] = await start({ 'dummy-ca': baseUrl, acme: 'https://ca.test/directory' });
      expect(acme).toMatchObject({ enabled: true, config: { directoryUrl: 'https://ca.test/directory' } });
    });

    test('updates the address of a provider that follows the environment, and nothing else', async () => {
      const [row] = await start({ 'dummy-ca': baseUrl });
      const config = { ...row?.config, validityDays: 7 };
      await db.transaction((tx) => updateProvider(tx, row?.id ?? '', { config, enabled: false }));
      const [moved] = await start({ 'dummy-ca': 'http://127.0.0.1:4002' });
      expect(moved).toMatchObject({
        enabled: false,
        config: { baseUrl: 'http://127.0.0.1:4002', validityDays: 7 },
      });
    });

    test('does not change a provider that was configured manually', async () => {
      const [row] = await start({ 'dummy-ca': baseUrl });
      const config = { ...row?.config, baseUrl: 'http://ca.test' };
      await db.transaction((tx) => updateProvider(tx, row?.id ?? '', { config, environmentAddress: null }));
      expect((await start({ 'dummy-ca': 'http://127.0.0.1:4002' }))[0]?.config).toEqual(config);
    });

    test('of several processes at once creates two providers', async () => {
      await Promise.all([start({ 'dummy-ca': baseUrl }), start({ 'dummy-ca': baseUrl }), start({})]);
      expect(await db.read(listProviders)).toHaveLength(2);
    });
  });
});
