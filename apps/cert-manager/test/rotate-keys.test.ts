import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseKeyRing } from '../src/providers/key-ring.js';
import { listProviders } from '../src/providers/providers.repository.js';
import { rotateKeys } from '../src/providers/rotate-keys.service.js';
import { startApp, startAppOn, type TestApp } from './support/app.js';
import { configure, providerOf } from './support/signing.js';

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

  test('encrypts every secret with the first key, so that the other can go', async () => {
    expect(await sealed()).toEqual([expect.stringMatching(/^v1\.old\./)]);
    const ring = parseKeyRing([line('new', 2), line('old', 1)].join('\n'));
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring)).toBe(1);
    expect(await sealed()).toEqual([expect.stringMatching(/^v1\.new\./)]);
    expect(await rotateKeys({ db: app.database, clock: app.clock }, ring)).toBe(0);
    const environment = { ENCRYPTION_KEYS: line('new', 2) };
    const other = await startAppOn(app.database, { environment, beside: app });
    await other.close();
  });

  test('is refused with a ring that is not this database’s', async () => {
    await expect(
      rotateKeys({ db: app.database, clock: app.clock }, parseKeyRing(line('new', 3))),
    ).rejects.toThrow(/is not the one/);
  });
});
