import type { Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { addCsr, addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  issuedFqdn,
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
} from '../support/renewals.js';
import { configure, countOpenRequests, enable, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const leaseMs = 120_000;

describeEachDialect('a key for which a certificate was revoked as compromised', (open) => {
  let place: RenewalPlace;
  let acme: ScriptedAcme;
  let acmeId = '';
  let atStep = async (_: string): Promise<void> => undefined;
  beforeAll(async () => {
    acme = await startScriptedAcme(() => place.app.clock);
    place = await startRenewing(open, {
      environment: {
        ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
        ACME_DIRECTORY_URL: acme.directoryUrl,
      },
      renewals: { leaseMs, atStep: (step) => atStep(step) },
      orders: { pause: async () => undefined },
    });
    const provider = await providerOf(place.app, 'acme');
    acmeId = provider.id;
    await configure(place.app, provider, orderingByHttp(acme)).expect(200);
    await enable(place.app, provider).expect(200);
  });
  afterEach(async () => {
    atStep = async () => undefined;
    place.ca.answer('normally');
    await clearInventory(place.app);
  });
  afterAll(async () => {
    await place.close();
    await acme.close();
  });

  const post = (fqdn: Fqdn, path: string, body: object = {}) =>
    place.app.request.post(pathOf(fqdn, path)).set(place.app.people.ada.auth).send(body);
  const revoke = async (fqdn: Fqdn, index = -1) => {
    const id = (await certificatesOf(place.app, fqdn)).at(index)?.id;
    await post(fqdn, `certificates/${id}/revoke`, { reason: 'keyCompromise' }).expect(200);
  };
  const ways: readonly (readonly [string, (fqdn: Fqdn) => ReturnType<typeof post>])[] = [
    ['csr/sign by the dummy CA', (fqdn) => post(fqdn, 'csr/sign', { providerId: place.providerId })],
    ['csr/sign by ACME', (fqdn) => post(fqdn, 'csr/sign', { providerId: acmeId })],
    ['request-certificate', (fqdn) => post(fqdn, 'request-certificate?wait=30', { confirmed: true })],
  ];

  test.each(ways)(
    'is not certified again by %s, which writes an audit entry; another key is certified',
    async (_, ask) => {
      const { app, ca } = place;
      const fqdn = await issuedFqdn(place);
      await revoke(fqdn);
      const before = [ca.ids.length, acme.csrs.length];
      const { body } = await ask(fqdn).expect(400);
      expect(body).toMatchObject({
        code: 'csr_key_compromised',
        detail: expect.stringContaining('upload a CSR with a new key'),
      });
      expect([ca.ids.length, acme.csrs.length]).toEqual(before);
      const failures = await Promise.all(
        (['csr.sign', 'certificate.fail'] as const).map((action) => auditEntries(app, action)),
      );
      const own = failures.flat().filter(({ details }) => details['fqdnId'] === fqdn.id);
      expect(own.at(-1)).toMatchObject({ details: { code: 'csr_key_compromised' } });
      await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
      expect((await ask(fqdn).expect(200)).body).toMatchObject({ success: true });
    },
  );

  test('is not certified for another FQDN either', async () => {
    const { fqdn, csr } = await fqdnWithCsr(place.app);
    const { id: elsewhere } = await addSpace(place.app);
    const other = await addFqdn(place.app, elsewhere, fqdn.fqdn);
    await addCsr(place.app, other, csr.csrPem);
    await signWith(place, fqdn);
    await revoke(fqdn);
    await post(other, 'csr/sign', { providerId: place.providerId }).expect(400);
  });

  test('is not certified by a renewal, though the newest certificate is another one of that key', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await signWith(place, fqdn);
    await revoke(fqdn, 0);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    const reason = expect.stringContaining('upload a CSR with a new key');
    expect(await app.renew()).toMatchObject({ renewed: 0, failed: [{ reason }] });
    expect(ca.ids.length).toBe(before);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
  });

  test('is not certified by the process that takes over a renewal; the log names the key', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    atStep = async (step) => {
      if (step === 'answered') throw new Error('the process ends here');
    };
    expect(await app.renew()).toMatchObject({ broken: 1 });
    atStep = async () => undefined;
    await revoke(fqdn);
    const before = ca.ids.length;
    app.clock.advance(leaseMs);
    await app.renew();
    app.clock.advance(3 * leaseMs);
    await app.recoverSigning();
    expect(ca.ids.length).toBe(before);
    expect(await countOpenRequests(app)).toBe(0);
    const lost = (await auditEntries(app, 'certificate.issue')).filter(
      ({ resourceId }) => resourceId === fqdn.id,
    );
    expect(lost).toMatchObject([
      {
        outcome: 'failure',
        details: {
          spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          reason: expect.stringContaining('the key is compromised'),
        },
      },
    ]);
    expect((await entriesOf(app, fqdn)).map(({ status }) => status)).not.toContain('processing');
  });

  test('is not certified if it is revoked while a call waits', async () => {
    const { app, ca } = place;
    const fqdn = await issuedFqdn(place);
    const text = `update certificates set revoked_at = created_at, revocation_reason = 'keyCompromise'
      where fqdn_id = $1`;
    const before = ca.ids.length;
    const [{ status }] = await Promise.all([
      post(fqdn, 'csr/sign', { providerId: place.providerId }),
      app.database.transaction((tx) => executeSql(tx, text, [fqdn.id])),
    ]);
    // before or after, as the database orders them
    expect(ca.ids.length - before).toBe(status === 200 ? 1 : 0);
    await post(fqdn, 'csr/sign', { providerId: place.providerId }).expect(400);
  });
});
