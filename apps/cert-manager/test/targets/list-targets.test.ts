import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { targets } from '../../src/targets/targets.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { addTarget } from '../support/monitor/served-place.js';
import { clearInventory } from '../support/renewals.js';

describeEachDialect('targets of an FQDN', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, {
      environment: { PROBE_ALLOW_CIDRS: '10.1.0.0/16', PROBE_TARGETS_PER_SPACE: '25' },
    });
  });
  afterEach(() => clearInventory(app));
  afterAll(() => app.close());

  const newFqdn = async (hostname = 'www.example.org') => addFqdn(app, (await addSpace(app)).id, hostname);
  const send = (fqdn: Fqdn, body: object) =>
    app.request.post(pathOf(fqdn, 'targets')).set(app.people.ada.auth).send(body);

  test('are created with defaults, listed, changed and deleted, each with an audit entry', async () => {
    const fqdn = await newFqdn();
    const made = await addTarget(app, fqdn, {});
    expect(made).toEqual({
      id: expect.any(String),
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      host: 'www.example.org',
      port: 443,
      protocol: 'tls',
      sni: 'www.example.org',
      mode: 'probe',
      everySeconds: 21_600,
      graceSeconds: 86_400,
      enabled: true,
      source: 'user',
      createdAt: app.clock.now().toISOString(),
    });
    const path = pathOf(fqdn, `targets/${made.id}`);
    const change = {
      host: 'LB.example.org.',
      port: 8443,
      addresses: ['10.1.2.3', '2606:4700:0::1'],
      graceSeconds: 60,
    };
    const { body: changed } = await app.request.put(path).set(app.people.ada.auth).send(change).expect(200);
    const expected = { ...made, ...change, host: 'lb.example.org', addresses: ['10.1.2.3', '2606:4700::1'] };
    expect(changed).toEqual(expected);
    const { body: list } = await app.request
      .get(pathOf(fqdn, 'targets'))
      .set(app.people.ada.auth)
      .expect(200);
    expect(list).toEqual([expected]);
    await app.request.delete(path).set(app.people.ada.auth).expect(200);
    await app.request.delete(path).set(app.people.ada.auth).expect(404);
    for (const action of ['target.create', 'target.update', 'target.delete'] as const) {
      const entries = await auditEntries(app, action);
      expect(entries.at(-1)).toMatchObject({
        resourceId: made.id,
        spaceId: fqdn.spaceId,
        outcome: 'success',
      });
    }
  });

  test('are deleted with their FQDN', async () => {
    const fqdn = await newFqdn();
    await addTarget(app, fqdn, {});
    await app.request.delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`).set(app.people.ada.auth).expect(200);
    expect(await app.database.read((tx) => tx.count(targets))).toBe(0);
  });

  test.each<[object, string, string]>([
    [{ host: '127.1' }, 'host', 'invalid_host'],
    [{ host: '0x7f.0.0.1' }, 'host', 'invalid_host'],
    [{ host: '2130706433' }, 'host', 'invalid_host'],
    [{ host: 'a..test' }, 'host', 'invalid_host'],
    [{ host: 'https://a.test' }, 'host', 'invalid_host'],
    [{ host: '169.254.169.254' }, 'host', 'address_not_allowed'],
    [{ host: '10.2.0.1' }, 'host', 'address_not_allowed'],
    [{ host: '127.0.0.1' }, 'host', 'address_not_allowed'],
    [{ addresses: ['10.1.0.1', '010.1.0.1'] }, 'addresses', 'invalid_address'],
    [{ addresses: ['fe80::1'] }, 'addresses', 'address_not_allowed'],
    [{ addresses: ['fe80::1%eth0'] }, 'addresses', 'invalid_address'],
    [{ port: 22 }, 'port', 'port_not_allowed'],
    [{ port: 25, protocol: 'smtp' }, 'port', 'port_not_allowed'],
    [{ sni: 'other.example.org' }, 'sni', 'sni_not_covered'],
    [{ sni: '192.0.2.1' }, 'sni', 'sni_not_covered'],
  ])('are refused as %j by the field %s', async (body, path, code) => {
    const answer = await send(await newFqdn(), body).expect(400);
    expect(answer.body).toMatchObject({ code, errors: [{ path, code }] });
  });

  test('are rejected if a value is not in the contract', async () => {
    const fqdn = await newFqdn();
    for (const body of [
      { port: 0 },
      { port: 65_536 },
      { port: '443' },
      { protocol: 'gopher' },
      { everySeconds: 59 },
      { graceSeconds: -1 },
      { mode: 'watch' },
      { addresses: Array.from({ length: 65 }, (_, index) => `10.1.0.${index}`) },
    ])
      await send(fqdn, body).expect(400);
  });

  test('of a wildcard require sni', async () => {
    const fqdn = await newFqdn('*.example.org');
    const { body } = await send(fqdn, {}).expect(400);
    expect(body).toMatchObject({ code: 'sni_required', errors: [{ path: 'sni' }] });
    expect(body.detail).toContain('www.example.org');
    await send(fqdn, { sni: 'example.org' }).expect(400);
    await send(fqdn, { sni: 'a.b.example.org' }).expect(400);
    expect(await addTarget(app, fqdn, { sni: 'a.example.org' })).toMatchObject({ host: 'a.example.org' });
  });

  test('of mode report accept any address', async () => {
    const fqdn = await newFqdn();
    const made = await addTarget(app, fqdn, { mode: 'report', host: '10.9.9.9', port: 22 });
    expect(made).toMatchObject({ mode: 'report', host: '10.9.9.9', port: 22 });
    const path = pathOf(fqdn, `targets/${made.id}`);
    const toProbe = await app.request.put(path).set(app.people.ada.auth).send({ mode: 'probe' });
    expect([toProbe.status, toProbe.body.code]).toEqual([400, 'port_not_allowed']);
    const probed = await app.request.post(`${path}/probe`).set(app.people.ada.auth);
    expect([probed.status, probed.body.code]).toEqual([400, 'target_not_probed']);
  });

  test('are unique by address and port, also with concurrent calls', async () => {
    const fqdn = await newFqdn();
    const answers = await Promise.all([0, 1, 2].map(() => send(fqdn, { port: 8443 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const other = await addTarget(app, fqdn, { port: 443 });
    const moved = await app.request
      .put(pathOf(fqdn, `targets/${other.id}`))
      .set(app.people.ada.auth)
      .send({ port: 8443 });
    expect([moved.status, moved.body.code]).toEqual([409, 'target_exists']);
  });

  describe('in number', () => {
    test('are limited to 20 for an FQDN, and to the configured number for a space', async () => {
      const fqdn = await newFqdn();
      const many = async (count: number, to: Fqdn) => {
        const answers = [];
        for (let port = 1; port <= count; port += 1) answers.push(await send(to, { mode: 'report', port }));
        return answers;
      };
      const statuses = (await many(21, fqdn)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(20);
      const beside = await addFqdn(app, fqdn.spaceId, 'beside.example.org');
      const answers = await many(6, beside);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
      const refused = answers.find(({ status }) => status === 400);
      expect(refused?.body).toMatchObject({ code: 'too_many_targets' });
      expect(refused?.body.detail).toContain('PROBE_TARGETS_PER_SPACE');
    });
  });
});
