import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { targets } from '../../src/targets/targets.repository.js';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { classesOf, servedOf } from '../support/monitor/served-place.js';
import { elsewhere, fqdnOfServer, selfSigned, watchServersOf } from '../support/monitor/watched-servers.js';
import { settlePerson } from '../support/people.js';
import { certificatesOf, explanationOf, signWith } from '../support/renewals.js';
import { newCsr } from '../support/signing.js';
import { hour, useProbes } from './probe-targets/probe-place.js';

const host = 'www.example.org';
const day = 24 * hour;

describeEachDialect('what a watched server presents', (open) => {
  const place = useProbes(open);
  const { names, listen } = place;

  /** Has a server watched; its first certificate lasts 90 days. */
  const watched = async (first?: { readonly cert: string; readonly key: string }) => {
    const { app, server } = place;
    const presented = first ?? (await elsewhere(app, host)).full;
    server.reload(presented);
    if (!names.has(host)) names.set(host, ['127.0.0.1']);
    const { id: spaceId } = await addSpace(app);
    const [result] = await watchServersOf(app, spaceId, [{ host, port: server.port }]);
    if (result === undefined) throw new Error('nothing was watched');
    return { result, presented, fqdn: await fqdnOfServer(app, spaceId, result) };
  };
  const probeAfter = async (ms: number) => {
    place.app.clock.advance(ms);
    await place.app.probe();
  };
  const sources = async (fqdn: Fqdn) => (await certificatesOf(place.app, fqdn)).map(({ source }) => source);
  const stateOf = async (fqdn: Fqdn) => {
    const { body } = await place.app.request
      .get(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)
      .set(place.app.people.ada.auth)
      .expect(200);
    return body.status;
  };

  test('is adopted when it was renewed elsewhere', async () => {
    const { app, server } = place;
    const { fqdn, result } = await watched();
    app.clock.advance(60 * day);
    const renewed = await elsewhere(app, host);
    server.reload(renewed.full);
    await app.probe();
    const all = await certificatesOf(app, fqdn);
    expect(all.map(({ source }) => source)).toEqual(['served', 'served']);
    expect(await servedOf(app, fqdn)).toMatchObject({
      class: 'current',
      expected: { certificateId: all[1]?.id },
    });
    expect(await stateOf(fqdn)).toMatchObject({ state: 'valid', certificate: { id: all[1]?.id } });
    expect((await auditEntries(app, 'certificate.adopted')).at(-1)).toMatchObject({
      username: 'scheduler',
      resourceId: all[1]?.id,
      details: { targetId: result.targetId },
    });
    expect((await explanationOf(app, fqdn)).message).toContain('is renewed elsewhere');
    // nothing more is stored by further probes
    await probeAfter(7 * hour);
    expect(await certificatesOf(app, fqdn)).toEqual(all);
  });

  test('is previous and then stale when an earlier one comes again, and never foreign', async () => {
    const { app, server } = place;
    const { fqdn, presented } = await watched();
    app.clock.advance(30 * day);
    server.reload((await elsewhere(app, host)).full);
    await app.probe();
    server.reload(presented);
    await probeAfter(7 * hour);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'previous' });
    await probeAfter(day);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'stale' });
    expect(await stateOf(fqdn)).toMatchObject({ state: 'failing' });
    // one that was never stored
    server.reload((await elsewhere(app, host, { from: -40 })).full);
    await probeAfter(7 * hour);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'stale' });
    expect(await sources(fqdn)).toEqual(['served', 'served']);
    server.reload((await elsewhere(app, host)).full);
    await probeAfter(7 * hour);
    expect(await stateOf(fqdn)).toMatchObject({ state: 'valid' });
  });

  test('fails when it ends, and when the name no longer fits', async () => {
    const { app, server } = place;
    const { fqdn } = await watched();
    server.reload((await elsewhere(app, 'other.example.org', { from: 0 })).full);
    await probeAfter(7 * hour);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'name_mismatch' });
    await probeAfter(day);
    expect(await stateOf(fqdn)).toMatchObject({ state: 'failing' });
    expect(await sources(fqdn)).toEqual(['served']);
    server.reload((await elsewhere(app, host, { days: 7 })).full);
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual(['served', 'served']);
    await probeAfter(7 * day);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'expired' });
    const status = await stateOf(fqdn);
    expect(status.state).toBe('expired');
  });

  test('is the one that ends first of several addresses, and the others are named', async () => {
    const { app, server } = place;
    names.set(host, ['127.0.0.1', '127.0.0.2']);
    const later = await elsewhere(app, host, { from: -0.5, days: 200 });
    const second = await listen(later.full, '127.0.0.2');
    const { fqdn, result } = await watched();
    expect(result.class).toBe('current');
    const [first] = await certificatesOf(app, fqdn);
    expect(result.served?.notAfter).toBe(first?.expiresAt);
    expect(result.addresses?.map(({ hint }) => hint).join(' ')).toContain('which is later than');
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual(['served']);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'current', '127.0.0.2': 'current' });
    // when the address that was behind follows, the certificate of both is adopted
    server.reload(later.full);
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual(['served', 'served']);
    // one address is renewed and ends first, and the other one is behind
    second.reload((await elsewhere(app, host, { days: 30 })).full);
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual(['served', 'served', 'served']);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'previous', '127.0.0.2': 'current' });
  });

  test('is the one that ends first of several targets of an FQDN', async () => {
    const { app, server } = place;
    const { fqdn, presented } = await watched();
    names.set('mail.example.org', ['127.0.0.2']);
    const other = await listen((await elsewhere(app, host, { from: -0.5, days: 200 })).full, '127.0.0.2');
    const mail = { host: 'mail.example.org', port: server.port, fqdn: host };
    const [added] = await watchServersOf(app, fqdn.spaceId, [mail]);
    expect(added).toMatchObject({
      fqdnId: fqdn.id,
      isNewFqdn: false,
      isNewCertificate: false,
      class: 'current',
    });
    expect(await sources(fqdn)).toEqual(['served']);
    // the first server skips it and gets one that ends later: that of the second one is next
    server.reload((await elsewhere(app, host, { days: 300 })).full);
    await probeAfter(7 * hour);
    await probeAfter(1);
    const all = await certificatesOf(app, fqdn);
    expect(all).toHaveLength(2);
    expect(new Set(Object.values(await classesOf(app, fqdn)))).toEqual(new Set(['current']));
    other.reload(presented);
  });

  test('is adopted and marked if its chain does not verify', async () => {
    const { app } = place;
    const { alone } = await elsewhere(app, host);
    const { fqdn, result } = await watched(alone);
    const reason = 'the certificate of its issuer was not sent';
    expect(result).toMatchObject({ class: 'current', served: { verified: false, unverifiedReason: reason } });
    expect(result.addresses?.[0]?.hint).toContain(`Its chain does not verify: ${reason}.`);
    expect((await auditEntries(app, 'certificate.adopted')).at(-1)?.details).toMatchObject({
      unverified: true,
      reason,
    });
    place.server.reload(await selfSigned(app, host));
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual(['served', 'served']);
    const { targets } = await servedOf(app, fqdn);
    expect(targets[0]?.addresses[0]?.hint).toContain('Its chain does not verify: it is self-signed.');
  });

  test('is no longer adopted when CertLoop has obtained a certificate', async () => {
    const { app, server } = place;
    const { fqdn, result } = await watched();
    await addCsr(app, fqdn, await newCsr(host));
    await signWith(place, fqdn);
    const path = pathOf(fqdn, 'targets');
    const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
    expect(body[0]).not.toHaveProperty('adopt');
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    await probeAfter(7 * hour);
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'foreign' });
    const [again] = await watchServersOf(app, fqdn.spaceId, [{ host, port: server.port }]);
    expect(again).toMatchObject({ targetId: result.targetId, class: 'foreign', isNewCertificate: false });
    expect(again).not.toHaveProperty('adopt');
    expect(await sources(fqdn)).toEqual(['served', undefined]);
  });

  test('is not adopted by a probe that runs while CertLoop obtains a certificate', async () => {
    const { app, server } = place;
    for (const round of [1, 2, 3]) {
      const { fqdn } = await watched();
      await addCsr(app, fqdn, await newCsr(host));
      server.reload((await elsewhere(app, host, { from: -0.5 })).full);
      app.clock.advance(7 * hour);
      const [signed] = await Promise.all([signWith(place, fqdn), app.probe()]);
      expect([round, signed.status]).toEqual([round, 200]);
      await probeAfter(7 * hour);
      // whichever came first
      expect((await sources(fqdn)).at(-1)).toBeUndefined();
      expect(['foreign', 'previous']).toContain((await servedOf(app, fqdn)).class);
      expect((await app.database.read((tx) => tx.find(targets))).map(({ adopt }) => adopt)).toEqual(
        Array.from({ length: round }, () => null),
      );
    }
  });

  test('is adopted after an import, also if an earlier certificate was imported', async () => {
    const { app, server } = place;
    const { fqdn } = await watched();
    const send = (pem: string) =>
      app.request
        .post(pathOf(fqdn, 'certificates/import'))
        .set(app.people.ada.auth)
        .send({ pem })
        .expect(201);
    const [first] = await certificatesOf(app, fqdn);
    await send((await elsewhere(app, host, { from: -20 })).full.cert);
    await probeAfter(7 * hour);
    expect(await servedOf(app, fqdn)).toMatchObject({
      class: 'current',
      expected: { certificateId: first?.id },
    });
    expect(await stateOf(fqdn)).toMatchObject({ certificate: { id: first?.id } });
    server.reload((await elsewhere(app, host)).full);
    await probeAfter(7 * hour);
    expect(await sources(fqdn)).toEqual([undefined, 'served', 'served']);
  });

  test('is not adopted if the policy of the space or another space does not allow the name', async () => {
    const { app, server } = place;
    const policy = { names: [], suffixes: ['example.com'], wildcards: false, cidrs: [], beyondFqdn: false };
    const space = await addSpace(app);
    const set = (allowedNames: object | null) =>
      app.request
        .put(`/spaces/${space.id}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ allowedNames, providerIds: null, confirmed: true })
        .expect(200);
    await set(policy);
    names.set(host, ['127.0.0.1']);
    server.reload((await elsewhere(app, host)).full);
    const here = { host, port: server.port };
    const [refused] = await watchServersOf(app, space.id, [here]);
    expect(refused?.refusal).toMatchObject({ code: 'name_not_allowed', field: 'fqdn' });
    expect((await auditEntries(app, 'fqdn.create')).at(-1)).toMatchObject({ outcome: 'failure' });
    // a name that another space holds
    const held = await addFqdn(app, (await addSpace(app)).id, host);
    await addCsr(app, held, await newCsr(host));
    await signWith(place, held);
    await set(null);
    const writer = await settlePerson(app, { username: 'writer' });
    await grant(app, writer, 'READ_WRITE', [space.id]);
    const [foreign] = await watchServersOf(app, space.id, [here], writer);
    expect(foreign?.refusal).toMatchObject({ code: 'name_not_allowed' });
    const [allowed] = await watchServersOf(app, space.id, [here]);
    expect(allowed).toMatchObject({ isNewCertificate: true });
    // a policy that forbids the name later ends the adoption, and not the watch
    await set(policy);
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    await probeAfter(7 * hour);
    expect(await classesOf(app, { id: allowed?.fqdnId, spaceId: space.id } as Fqdn)).toEqual({
      '127.0.0.1': 'current',
    });
    expect(await certificatesOf(app, { id: allowed?.fqdnId, spaceId: space.id } as Fqdn)).toHaveLength(1);
  });

  test('is adopted from reports of a machine that reaches the server', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const asked = { host: '10.9.8.7', fqdn: host, mode: 'report' };
    const [added] = await watchServersOf(app, spaceId, [asked]);
    expect(added).toMatchObject({ adopt: true, isNewTarget: true, port: 443 });
    expect(added).not.toHaveProperty('pending');
    const fqdn = await fqdnOfServer(app, spaceId, added ?? raise());
    const now = app.clock.now();
    const request = { dnsNames: [host], notBefore: now, notAfter: new Date(now.getTime() + day) };
    const { leafPem: chainPem } = await foreignCertificate(request);
    const report = { address: '10.9.8.7', chainPem, observedAt: now.toISOString() };
    const path = pathOf(fqdn, `targets/${added?.targetId}/observations`);
    for (const _ of [1, 2]) await app.request.post(path).set(app.people.ada.auth).send(report).expect(204);
    expect(await sources(fqdn)).toEqual(['served']);
  });
});

function raise(): never {
  throw new Error('nothing was watched');
}
