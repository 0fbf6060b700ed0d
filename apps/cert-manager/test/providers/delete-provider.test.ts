import { randomUUID } from 'node:crypto';
import type { Fqdn, Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { acmeAccounts } from '../../src/acme/acme-accounts.repository.js';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { deletePendingRevocation } from '../../src/revocations/pending-revocations.repository.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addSpace, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { addPendingRevocation, danglingReferences } from '../support/providers.js';
import {
  certificatesOf,
  clearInventory,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  storedRenewals,
  switchRenewal,
} from '../support/renewals.js';
import { createProvider, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const day = 86_400_000;
const encryption = { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` };

describeEachDialect('deleting a provider', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  let acme: ScriptedAcme;
  let made = 0;
  beforeAll(async () => {
    acme = await startScriptedAcme(() => place.app.clock);
    const orders = { pause: async () => undefined };
    place = await startRenewing(open, { environment: encryption, orders });
    app = place.app;
  });
  afterEach(() => clearInventory(app));
  afterAll(async () => {
    await place.close();
    await acme.close();
  });

  const remove = ({ id }: Pick<Provider, 'id'>, at = app) =>
    at.request.delete(`/providers/${id}`).set(app.people.ada.auth);

  /** A further provider, by the CA of the place, whose certificates last 30 days. */
  const newProvider = () => {
    made += 1;
    const config = { baseUrl: place.ca.url, validityDays: 30 };
    return createProvider(app, { kind: 'dummy-ca', name: `further-${made}`, config });
  };

  const newAcmeProvider = () => {
    made += 1;
    return createProvider(app, {
      kind: 'acme',
      name: `further-${made}`,
      config: { ...orderingByHttp(acme), allowPrivateNetwork: true },
    });
  };

  async function fqdnNaming({ id: providerId }: Provider, hostname: string): Promise<Fqdn> {
    const { id } = await addSpace(app);
    const { body } = await app.request
      .post(`/spaces/${id}/fqdns`)
      .set(app.people.ada.auth)
      .send({ fqdn: hostname, providerId })
      .expect(201);
    await addCsr(app, body as Fqdn, await newCsr(hostname));
    return body as Fqdn;
  }

  test('removes it from every list, writes an audit entry, and frees its name', async () => {
    const provider = await newProvider();
    const { body } = await remove(provider).expect(200);
    expect(body).toEqual({ message: `provider ${provider.name} is deleted` });
    await app.request.get(`/providers/${provider.id}`).set(app.people.ada.auth).expect(404);
    await remove(provider).expect(404);
    expect((await auditEntries(app, 'provider.delete')).at(-1)).toMatchObject({
      resourceType: 'provider',
      resourceId: provider.id,
      details: {
        provider: provider.name,
        before: { kind: 'dummy-ca', displayName: provider.name, config: { baseUrl: place.ca.url } },
      },
    });
    await createProvider(app, { kind: 'dummy-ca', name: provider.name, config: provider.config });
  });

  test('deletes its accounts and their keys', async () => {
    const config = { directoryUrl: 'https://8.8.8.8/dir', termsOfServiceAgreed: true };
    const provider = await createProvider(app, { kind: 'acme', name: 'with-account', config });
    const now = app.clock.now();
    const account = { directoryUrl: 'https://8.8.8.8/dir', sealedKey: 'x', sealedNextKey: null, url: null };
    const dates = { createdAt: now, updatedAt: now };
    await app.database.transaction((tx) =>
      tx.insert(acmeAccounts, {
        id: unknownId,
        providerId: provider.id,
        contactEmails: [],
        contactRefusal: null,
        ...account,
        ...dates,
      }),
    );
    await remove(provider).expect(200);
    expect(await app.database.read((tx) => tx.count(acmeAccounts))).toBe(0);
  });

  test.each(['dummy-ca', 'acme'])('is refused for %s, the first of its kind', async (name) => {
    const { body } = await remove(await providerOf(app, name)).expect(409);
    expect(body).toMatchObject({
      code: 'built_in',
      detail: `provider ${name} is the first of its kind and stays: disable it instead`,
    });
  });

  test.each([unknownId, ...badIds])('returns 404 for the id %s', async (id) => {
    await app.request.delete(`/providers/${id}`).set(app.people.ada.auth).expect(404);
  });

  describe('is refused while it is in use', () => {
    test('by an FQDN, which the error names with the remedy', async () => {
      const provider = await newProvider();
      await fqdnNaming(provider, 'a.example.org');
      const { body } = await remove(provider).expect(409);
      expect(body).toMatchObject({
        code: 'provider_in_use',
        detail: `provider ${provider.name} is in use: 1 FQDN that names it (a.example.org); delete the FQDNs that name it, or disable the provider`,
      });
      await clearInventory(app);
      await remove(provider).expect(200);
    });

    test('by more FQDNs than it names', async () => {
      const provider = await newProvider();
      for (const host of ['a', 'b', 'c', 'd', 'e']) await fqdnNaming(provider, `${host}.example.org`);
      const { body } = await remove(provider).expect(409);
      expect(body.detail).toMatch(
        /: 5 FQDNs that name it \(a\.example\.org, b\.example\.org, c\.example\.org, 2 more\);/,
      );
    });

    test.each(['queued', 'running', 'waiting'] as const)('by a request that is %s', async (state) => {
      const provider = await newProvider();
      const { job } = await addJob(app, { providerId: provider.id, state });
      const { body } = await remove(provider).expect(409);
      expect(body.detail).toMatch(
        /: 1 open request \(www\.example\.org\); wait until the requests have ended,/,
      );
      await app.database.transaction((tx) =>
        tx.update(issuances, { id: job.id }, { state: 'failed', finishedAt: app.clock.now() }),
      );
      await remove(provider).expect(200);
    });

    test('by a certificate in use, until it expires or is replaced', async () => {
      const [one, other] = [await newProvider(), await newProvider()];
      const { fqdn } = await fqdnWithCsr(app, 'in-use.example.org');
      await signWith({ ...place, providerId: one.id }, fqdn);
      const { body } = await remove(one).expect(409);
      expect(body.detail).toMatch(
        /: 1 certificate in use \(in-use\.example\.org\); let another provider issue/,
      );
      await signWith({ ...place, providerId: other.id }, fqdn);
      await remove(one).expect(200);
      app.clock.set(new Date(app.clock.now().getTime() + 31 * day));
      await remove(other).expect(200);
    });

    test('by a pending renewal, also of a certificate that has expired', async () => {
      const provider = await newProvider();
      const fqdn = await renewedFqdn({ ...place, providerId: provider.id }, 'due.example.org');
      app.clock.set(new Date(app.clock.now().getTime() + 31 * day));
      const { body } = await remove(provider).expect(409);
      expect(body.detail).toMatch(/: 1 pending renewal \(due\.example\.org\); let another provider issue/);
      await switchRenewal(app, fqdn, false);
      await remove(provider).expect(200);
    });

    test('by a revocation that its CA has not settled, also of a certificate that was replaced', async () => {
      const provider = await newProvider();
      const { fqdn } = await fqdnWithCsr(app, 'leaked.example.org');
      await signWith({ ...place, providerId: provider.id }, fqdn);
      await signWith(place, fqdn);
      const id = await addPendingRevocation(app, fqdn, provider);
      const { body } = await remove(provider).expect(409);
      expect(body.detail).toMatch(
        /: 1 pending revocation \(leaked\.example\.org\); wait until its CA has settled/,
      );
      await app.database.transaction((tx) => deletePendingRevocation(tx, id));
      await remove(provider).expect(200);
    });

    test('by a renewal that has begun with it, even if the FQDN names another', async () => {
      const provider = await newProvider();
      const fqdn = await renewedFqdn(place, 'begun.example.org');
      const { job } = await addJob(app, { providerId: provider.id, state: 'failed' });
      await app.database.transaction((tx) =>
        tx.update(renewalQueue, { fqdnId: fqdn.id }, { issuanceId: job.id }),
      );
      await remove(provider).expect(409);
    });
  });

  test('keeps certificates that it issued, which then have no provider', async () => {
    const provider = await newProvider();
    const { fqdn } = await fqdnWithCsr(app, 'old.example.org');
    await signWith({ ...place, providerId: provider.id }, fqdn);
    await signWith(place, fqdn);
    await remove(provider).expect(200);
    const [old, current] = await app.database.read((tx) =>
      tx.find(certificates, { where: { fqdnId: fqdn.id }, order: { position: 'ASC' } }),
    );
    expect([old?.providerId, current?.providerId]).toEqual([null, place.providerId]);
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    const path = pathOf(fqdn, `certificates/${old?.id}/refresh`);
    const { body } = await app.request.post(path).set(app.people.ada.auth).expect(200);
    expect(body).toMatchObject({ id: old?.id });
  });

  test('stores a certificate that was being issued, does not renew it, and says why', async () => {
    const provider = await newProvider();
    const { fqdn } = await fqdnWithCsr(app, 'under-way.example.org');
    await switchRenewal(app, fqdn, true);
    place.ca.answer('when let go');
    const before = place.ca.paths.length;
    const signing = signWith({ ...place, providerId: provider.id }, fqdn).then(({ body }) => body);
    while (place.ca.paths.length === before) await new Promise((resolve) => setImmediate(resolve));
    await remove(provider).expect(200);
    place.ca.answer('normally');
    expect(await place.ca.letGoUntil(signing)).toMatchObject({ success: true });
    const [row] = await app.database.read((tx) => tx.find(certificates, { where: { fqdnId: fqdn.id } }));
    expect(row?.providerId).toBeNull();
    expect(await storedRenewals(app.database, fqdn.id)).toEqual([]);
    const explanation = await app.request
      .get(pathOf(fqdn, 'renewal-explanation'))
      .set(app.people.ada.auth)
      .expect(200);
    expect(explanation.body).toMatchObject({ willRenew: false });
  });

  test('and using it concurrently, from two processes, leaves no reference to a deleted provider', async () => {
    const other = await startAppOn(app.database, { environment: encryption, beside: app });
    const sign = ({ id: providerId }: Provider, fqdn: Fqdn) =>
      other.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId });
    const newHost = () => `race-${randomUUID()}.example.org`;
    // each prepares, and returns what begins to use the provider
    const uses: ((provider: Provider) => Promise<() => PromiseLike<{ readonly status: number }>>)[] = [
      async ({ id: providerId }) => {
        const { id } = await addSpace(app);
        const post = () => other.request.post(`/spaces/${id}/fqdns`).set(app.people.ada.auth);
        return () => post().send({ fqdn: newHost(), providerId });
      },
      async (provider) => {
        const { fqdn } = await fqdnWithCsr(app, newHost());
        return () => sign(provider, fqdn);
      },
      async (provider) => {
        const { fqdn } = await fqdnWithCsr(app, newHost());
        await sign(provider, fqdn).expect(200);
        app.clock.set(new Date(app.clock.now().getTime() + 31 * day));
        return () => switchRenewal(other, fqdn, true);
      },
    ];
    const rounds = [1, 2].flatMap((round) =>
      uses.flatMap((use) => [
        { use, round, isAcme: false },
        ...(use === uses[1] ? [{ use, round, isAcme: true }] : []),
      ]),
    );
    for (const { use, round, isAcme } of rounds) {
      const provider = isAcme ? await newAcmeProvider() : await newProvider();
      const begin = await use(provider);
      const [removed, used] = await Promise.all([remove(provider, round % 2 === 0 ? app : other), begin()]);
      expect([200, 409]).toContain(removed.status);
      expect([200, 201, 400, 404]).toContain(used.status);
    }
    await other.close();
    expect(await danglingReferences(app)).toEqual([]);
  });
});
