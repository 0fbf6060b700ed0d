import { describeEachDialect } from '@certloop/db/testing';
import { openSecret, parseKeyRing, sealSecret } from '@certloop/server';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listProviders, secretPlace, updateProvider } from '../../src/providers/providers.repository.js';
import { rotateKeys } from '../../src/providers/secrets/rotate-keys.service.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { configure, providerOf } from '../support/signing.js';

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
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring)).toBe(1);
    expect(await sealed()).toEqual([expect.stringMatching(/^v1\.new\./)]);
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring)).toBe(0);
    const environment = { ENCRYPTION_KEYS: line('new', 2) };
    const other = await startAppOn(app.database, { environment, beside: app });
    await other.close();
  });

  test('is refused with a ring that is not this database’s', async () => {
    await expect(
      rotateKeys({ db: app.database, clock: app.clock }, parseKeyRing(line('new', 3), 'cert-manager')),
    ).rejects.toThrow(/is not the one/);
  });

  test('does not lose a secret that is set at the same time', async () => {
    const { id } = await providerOf(app, 'acme');
    const place = secretPlace(id, 'eab.hmacKey');
    const before = parseKeyRing([line('new', 2), line('old', 1)].join('\n'), 'cert-manager');
    const ring = parseKeyRing([line('newest', 3), line('new', 2)].join('\n'), 'cert-manager');
    await rotateKeys({ db: app.database, clock: app.clock }, before);
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const rotating = begun.then(() => rotateKeys({ db: app.database, clock: app.clock }, ring));
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

  /** Resolves when a transaction waits for another; on SQLite, where they take turns, at once. */
  const untilTransactionWaits = async () => {
    const text = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    const isOver = async () =>
      app.database.dialect.name === 'sqlite' ||
      (await app.database.read((tx) => tx.query<unknown[]>(text))).length > 0;
    while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
});
