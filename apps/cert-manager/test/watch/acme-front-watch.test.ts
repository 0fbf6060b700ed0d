import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeLineage, Fqdn, RenewalExplanation } from '@certloop/contracts';
import { findRows } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { events } from '../../src/events/events.repository.js';
import { type FrontPlace, type Program, startFront } from '../support/front/front-place.js';
import { startWatchingMonitor, type WatchingMonitor } from '../support/monitor/watching-monitor.js';
import { type Person, settlePerson } from '../support/people.js';
import { clearInventory } from '../support/renewals.js';

const day = 86_400_000;
const hostname = 'www.example.com';

describeEachDialect('the watch of what ACME clients order', (open) => {
  let monitor: WatchingMonitor;
  let place: FrontPlace;
  let ada: Person;
  let auth: Person['auth'];
  beforeAll(async () => {
    monitor = await startWatchingMonitor();
    place = await startFront(open, {
      ...monitor.environment,
      NOTICE_WEBHOOK_URL: 'https://hooks.example.org/',
      NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    });
    // a token that lasts however far the clock is moved
    const expiresAt = new Date('2100-01-01T00:00:00Z');
    ada = await settlePerson(place.app, { username: 'ada.lasting', isAdmin: true }, { expiresAt });
    ({ auth } = ada);
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory({ ...place.app, people: { ...place.app.people, ada } });
    await place.app.watch();
  });
  afterAll(async () => {
    await place.close();
    await monitor.close();
  });

  const get = async <Body>(path: string) =>
    (await place.app.request.get(path).set(auth).expect(200)).body as Body;
  const fqdnOf = async ({ space }: Program) => {
    const [fqdn] = await get<Fqdn[]>(`/spaces/${space.id}/fqdns?include=status`);
    if (fqdn === undefined) throw new Error('the order adds its FQDN');
    return fqdn;
  };
  const below = async <Body>(program: Program, rest: string) => {
    const { id, spaceId } = await fqdnOf(program);
    return get<Body>(`/spaces/${spaceId}/fqdns/${id}/${rest}`);
  };
  async function order(program: AcmeClient): Promise<string> {
    place.app.clock.advance(1000);
    const placed = await program.order(dnsIdentifiers(hostname));
    const { body } = await program.finalize(placed.body);
    await place.app.watch();
    return body.status;
  }
  const failures = () =>
    place.app.database.read((tx) => findRows(tx, events, { type: 'certificate.failed' as const }));
  const lastPing = () => monitor.check().pings.at(-1);

  test('begins with the first certificate, and fails at once when a later order fails', async () => {
    const machine = await place.addProgram();
    expect(await order(machine.program)).toBe('valid');
    const { status } = await fqdnOf(machine);
    expect(status).toMatchObject({
      ...{ state: 'valid', outlook: 'renewed_by_client', renewedBy: 'acme_client' },
      acmeClient: { name: machine.client.name, lineages: 1 },
    });
    const renews = `client ${machine.client.name} (`;
    expect(lastPing()).toMatchObject({ signal: 'success', body: expect.stringMatching(/^issued: /) });
    expect(lastPing()?.body).toContain(renews);
    place.ca.answer('with a refusal');
    expect(await order(machine.program)).toBe('invalid');
    const failing = await fqdnOf(machine);
    expect(failing.status).toMatchObject({ state: 'failing', lastFailure: { message: expect.any(String) } });
    const reason = String(failing.status?.reason).slice(1, -1);
    expect(reason).toContain(`could not renew ${hostname}`);
    expect(reason).toContain(String(failing.status?.lastFailure?.message).replace(/\.$/, ''));
    expect(lastPing()).toMatchObject({ signal: 'fail', body: expect.stringContaining(reason) });
    expect((await below<RenewalExplanation>(machine, 'renewal-explanation')).message).toContain(reason);
    // once a day, however often the client tries
    expect(await order(machine.program)).toBe('invalid');
    const { fqdn, id: fqdnId } = failing;
    const acmeClient = machine.client.name;
    const message = String(failing.status?.reason);
    expect((await failures()).map(({ data }) => data)).toMatchObject([
      { message, fqdn, fqdnId, acmeClient, reason: failing.status?.lastFailure?.message },
    ]);
    place.ca.answer('normally');
    expect(await order(machine.program)).toBe('valid');
    expect((await fqdnOf(machine)).status).toMatchObject({ state: 'valid' });
    expect(lastPing()).toMatchObject({ signal: 'success', body: expect.stringMatching(/^renewed: /) });
  });

  test('shows the failure of a first order until a certificate is issued', async () => {
    const machine = await place.addProgram();
    place.ca.answer('with a refusal');
    expect(await order(machine.program)).toBe('invalid');
    const { status } = await fqdnOf(machine);
    expect(status).toMatchObject({ state: 'unfinished', lastFailure: { message: expect.any(String) } });
    // as for a request of a person: with renewal off, a name without a certificate has no check
    expect(status?.attentionAt).toBe(status?.lastFailure?.at);
    place.ca.answer('normally');
    expect(await order(machine.program)).toBe('valid');
    expect((await fqdnOf(machine)).status).toMatchObject({ state: 'valid' });
    expect(lastPing()?.signal).toBe('success');
  });

  test('covers other names of the space, until the machine is let go', async () => {
    const machine = await place.addProgram();
    const other = 'example.com';
    const path = `/spaces/${machine.space.id}/fqdns`;
    for (const fqdn of [other, hostname])
      await place.app.request.post(path).set(auth).send({ fqdn }).expect(201);
    const placed = await machine.program.order(dnsIdentifiers(hostname, other));
    const finalized = await machine.program.finalize(placed.body);
    expect(finalized.body.status).toBe('valid');
    const all = await get<Fqdn[]>(`${path}?include=status`);
    const covered = all.find(({ status }) => status?.state === 'unfinished');
    const covering = all.find(({ status }) => status?.state === 'valid');
    expect(covered?.status).toMatchObject({
      coveredBy: { fqdnId: covering?.id, fqdn: covering?.fqdn },
      reason: `Covered by the certificate of ${covering?.fqdn}, which an ACME client renews.`,
    });
    await machine.program.post(machine.program.kid, { status: 'deactivated' });
    const uncovered = await get<Fqdn>(`${path}/${covered?.id}`);
    expect(uncovered.status?.coveredBy).toBeUndefined();
  });

  test('covers one label of its wildcard, also of FQDNs that are added later', async () => {
    const names = { suffixes: ['example.com'], wildcards: true };
    const machine = await place.addProgram({ names });
    const path = `/spaces/${machine.space.id}/fqdns`;
    const add = (fqdn: string, to = path) => place.app.request.post(to).set(auth).send({ fqdn }).expect(201);
    const coveringOf = async (of = path) => {
      const all = await get<Fqdn[]>(`${of}?include=status`);
      return Object.fromEntries(all.map(({ fqdn, status }) => [fqdn, status?.coveredBy?.fqdn]));
    };
    const obtain = async ({ program }: Pick<Program, 'program'>) => {
      const placed = await program.order(dnsIdentifiers('*.example.com'));
      return (await program.finalize(placed.body)).body.status;
    };
    await add('before.example.com');
    expect(await obtain(machine)).toBe('valid');
    for (const label of ['after', 'two.labels', '*.labels']) await add(`${label}.example.com`);
    await add('example.com');
    expect(await coveringOf()).toEqual({
      '*.example.com': undefined,
      'before.example.com': '*.example.com',
      'after.example.com': '*.example.com',
      'two.labels.example.com': undefined,
      '*.labels.example.com': undefined,
      'example.com': undefined,
    });
    const { space: other } = await place.addProgram();
    await add('after.example.com', `/spaces/${other.id}/fqdns`);
    expect(await coveringOf(`/spaces/${other.id}/fqdns`)).toEqual({ 'after.example.com': undefined });
    // of two machines, each covers them
    const second = await place.register(machine.client);
    expect(await obtain({ program: second })).toBe('valid');
    await second.post(second.kid, { status: 'deactivated' });
    expect(await coveringOf()).toMatchObject({ 'before.example.com': '*.example.com' });
    expect(await obtain({ program: await place.register(machine.client) })).toBe('valid');
    const wildcard = (await get<Fqdn[]>(path)).find(({ fqdn }) => fqdn === '*.example.com');
    await place.app.request.delete(`${path}/${wildcard?.id}`).set(auth).expect(200);
    expect(await coveringOf()).toMatchObject({ 'before.example.com': undefined });
    const ended = await machine.program.post(machine.program.kid, { status: 'deactivated' });
    expect(ended.status).toBe(200);
  });

  test('expects nothing of an account that deactivates itself, and of a client that is deleted', async () => {
    const machine = await place.addProgram();
    const second = { ...machine, program: await place.register(machine.client) };
    expect(await order(machine.program)).toBe('valid');
    expect(await order(second.program)).toBe('valid');
    expect((await fqdnOf(machine)).status).toMatchObject({ acmeClient: { lineages: 2 } });
    await machine.program.post(machine.program.kid, { status: 'deactivated' });
    const states = async () =>
      (await below<AcmeLineage[]>(machine, 'acme-lineages')).map(({ state }) => state);
    expect(await states()).toEqual(['expected', 'deactivated']);
    expect((await fqdnOf(machine)).status).toMatchObject({ acmeClient: { lineages: 1 } });
    const { id, spaceId } = machine.client;
    await place.app.request.delete(`/spaces/${spaceId}/acme-clients/${id}`).set(auth).expect(200);
    expect((await states()).sort()).toEqual(['deleted', 'deleted']);
    const { status } = await fqdnOf(machine);
    expect(status).toMatchObject({ state: 'valid', renewedBy: 'none' });
    expect(status?.acmeClient).toBeUndefined();
    expect(await below(machine, 'renewal-explanation')).toMatchObject({
      watched: 'expiry',
      outlook: 'no_csr',
    });
  });

  test('expects a client that reads the renewalInfo by the end of its window', async () => {
    const machine = await place.addProgram();
    const { program } = machine;
    expect(await order(program)).toBe('valid');
    const [before] = await below<AcmeLineage[]>(machine, 'acme-lineages');
    const { renewalInfo } = (await program.directory()) as unknown as { readonly renewalInfo: string };
    const renewalId = await place.app.database.read(async (tx) => {
      const rows = await tx.query(
        'select renewal_id from acme_server_orders where is_newest order by created_at desc, id desc',
      );
      return String((rows as { renewal_id: string }[])[0]?.renewal_id);
    });
    const userAgent = before?.userAgent ?? '';
    const info = await fetch(`${renewalInfo}/${renewalId}`, { headers: { 'user-agent': userAgent } });
    const { suggestedWindow } = (await info.json()) as { suggestedWindow: { end: string } };
    const [after] = await below<AcmeLineage[]>(machine, 'acme-lineages');
    expect(Date.parse(after?.expectedAt ?? '')).toBe(Date.parse(suggestedWindow.end));
    expect(before?.expectedAt).not.toBe(after?.expectedAt);
    place.app.clock.set(new Date(Date.parse(suggestedWindow.end) + 1.01 * day));
    await place.app.watch();
    expect(lastPing()).toMatchObject({ signal: 'fail', body: expect.stringContaining('has not renewed') });
  });
});
