import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { openSecret, parseKeyRing, sealSecret } from '@certloop/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acmeAccounts, insertAccountRow } from '../../src/acme/acme-accounts.repository.js';
import { rotateClientKeys } from '../../src/acme-clients/client-key.service.js';
import { accountKeyPlace } from '../../src/providers/acme/acme-parts.service.js';
import {
  insertProvider,
  listProviders,
  secretPlace,
  updateProvider,
} from '../../src/providers/providers.repository.js';
import { rotateKeys } from '../../src/providers/secrets/rotate-keys.service.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { configure, providerOf } from '../support/signing.js';

function failWithout(): never {
  throw new Error('there is no provider');
}

const line = (id: string, octet: number) => `${id}:${Buffer.alloc(32, octet).toString('base64')}`;
const eab = { kid: 'kid-1', hmacKey: Buffer.alloc(32, 9).toString('base64url') };

describeEachDialect('rotating the encryption keys', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: { ENCRYPTION_KEYS: line('old', 1) } });
    const acme = await providerOf(app, 'acme');
    const directoryUrl = 'https://acme.example.org/directory';
    await configure(app, acme, { directoryUrl, termsOfServiceAgreed: true, eab }).expect(200);
  });
  afterAll(() => app.close());

  const sealed = async () => {
    const rows = await app.database.read(listProviders);
    return rows.flatMap(({ secrets }) => Object.values(secrets));
  };

  test('encrypts every secret with the first key, so that the other can be removed', async () => {
    expect(await sealed()).toEqual([expect.stringMatching(/^v1\.old\./)]);
    const ring = parseKeyRing([line('new', 2), line('old', 1)].join('\n'), 'cert-manager');
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring, rotateClientKeys)).toBe(1);
    expect(await sealed()).toEqual([expect.stringMatching(/^v1\.new\./)]);
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring, rotateClientKeys)).toBe(0);
    const environment = { ENCRYPTION_KEYS: line('new', 2) };
    const other = await startAppOn(app.database, { environment, beside: app });
    await other.close();
  });

  test('is refused with a ring that is not this database’s', async () => {
    await expect(
      rotateKeys(
        { db: app.database, clock: app.clock },
        parseKeyRing(line('new', 3), 'cert-manager'),
        rotateClientKeys,
      ),
    ).rejects.toThrow(/is not the one/);
  });

  test('does not lose a secret that is set at the same time', async () => {
    const { id } = await providerOf(app, 'acme');
    const place = secretPlace(id, 'eab.hmacKey');
    const before = parseKeyRing([line('new', 2), line('old', 1)].join('\n'), 'cert-manager');
    const ring = parseKeyRing([line('newest', 3), line('new', 2)].join('\n'), 'cert-manager');
    await rotateKeys({ db: app.database, clock: app.clock }, before, rotateClientKeys);
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const rotating = begun.then(() =>
      rotateKeys({ db: app.database, clock: app.clock }, ring, rotateClientKeys),
    );
    const waiting = begun.then(untilTransactionWaits);
    await app.database.transaction(async (tx) => {
      const secrets = { 'eab.hmacKey': sealSecret(before, place, 'another') };
      await updateProvider(tx, id, { secrets });
      begin();
      await waiting;
    });
    await rotating;
    const [secret = ''] = await sealed();
    expect(openSecret(ring, place, secret)).toBe('another');
    expect(secret).toMatch(/^v1\.newest\./);
  });

  test('takes some rows at a time, lets others write between them, and finishes what was cut short', async () => {
    const { database: db, clock } = app;
    const old = parseKeyRing(line('newest', 3), 'cert-manager');
    const ring = parseKeyRing([line('last', 4), line('newest', 3)].join('\n'), 'cert-manager');
    const [model = failWithout()] = await db.read(listProviders);
    const ids = Array.from({ length: 330 }, () => randomUUID());
    await db.transaction(async (tx) => {
      for (const id of ids) {
        const secrets = { 'eab.hmacKey': sealSecret(old, secretPlace(id, 'eab.hmacKey'), `of ${id}`) };
        await insertProvider(tx, { ...model, id, name: id.slice(0, 30), kind: 'acme', config: {}, secrets });
        const sealedKey = sealSecret(old, accountKeyPlace('sealed_key', id), `key of ${id}`);
        const times = { createdAt: clock.now(), updatedAt: clock.now() };
        const place = { providerId: id, directoryUrl: 'https://acme.example.org/directory' };
        const account = { ...place, url: null, contactEmails: [], contactRefusal: null, sealedNextKey: null };
        await insertAccountRow(tx, { id, ...account, sealedKey, ...times });
      }
    });
    let left = 3;
    const dying: Database = {
      ...db,
      transaction: (work) => {
        left -= 1;
        if (left < 0) throw new Error('the process ends here');
        return db.transaction(work);
      },
    };
    await expect(rotateKeys({ db: dying, clock }, ring, rotateClientKeys)).rejects.toThrow('ends here');
    const active = async (id: string) =>
      (await sealed()).filter((each) => each.startsWith(`v1.${id}.`)).length;
    expect([(await active('last')) > 0, (await active('newest')) > 0]).toEqual([true, true]);
    // a process that has the former key only does not start any more, one with both does
    await (
      await startAppOn(db, {
        environment: { ENCRYPTION_KEYS: [line('last', 4), line('newest', 3)].join('\n') },
        beside: app,
      })
    ).close();

    const before = await active('newest');
    let written: string | undefined;
    const interleaved: Database = {
      ...db,
      transaction: async (work) => {
        const result = await db.transaction(work);
        const left = await active('newest');
        if (written === undefined && left > 0 && left < before) {
          const text = `update providers set name = 'written between' where id = '${ids[0]}'`;
          await db.transaction((tx) => tx.query(text));
          written = (await db.read(listProviders)).find(({ id }) => id === ids[0])?.name;
        }
        return result;
      },
    };
    const count = await rotateKeys({ db: interleaved, clock }, ring, rotateClientKeys);
    expect(count).toBeLessThan(2 * ids.length);
    expect(written).toBe('written between');
    expect(await active('newest')).toBe(0);
    expect(await rotateKeys({ db, clock }, ring, rotateClientKeys)).toBe(0);
    const alone = parseKeyRing(line('last', 4), 'cert-manager');
    const rows = new Map((await db.read(listProviders)).map((row) => [row.id, row.secrets]));
    for (const id of ids) {
      const secret = rows.get(id)?.['eab.hmacKey'] ?? '';
      expect(openSecret(alone, secretPlace(id, 'eab.hmacKey'), secret)).toBe(`of ${id}`);
    }
    const accounts = await db.read((tx) => tx.find(acmeAccounts));
    for (const { id, sealedKey } of accounts)
      expect(openSecret(alone, accountKeyPlace('sealed_key', id), sealedKey)).toBe(`key of ${id}`);
    expect(accounts).toHaveLength(ids.length);
    await (await startAppOn(db, { environment: { ENCRYPTION_KEYS: line('last', 4) }, beside: app })).close();
  });

  /** Resolves when a transaction waits for another; on SQLite, where they take turns, at once. */
  const untilTransactionWaits = async () => {
    const text = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    const isOver = async () =>
      app.database.dialect.name === 'sqlite' ||
      (await app.database.read((tx) => tx.query<unknown[]>(text))).length > 0;
    while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
});
