import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProviders, updateProvider } from '../../src/providers/providers.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';

describeEachDialect('adding an FQDN', (open) => {
  let app: TestApp;
  let spaceId: string;
  beforeAll(async () => {
    app = await startApp(open);
    spaceId = (await addSpace(app)).id;
  });
  afterAll(() => app.close());

  const post = (body: unknown, space = spaceId, person = app.people.ada) =>
    app.request
      .post(`/spaces/${space}/fqdns`)
      .set(person.auth)
      .set('Content-Type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body));

  async function twoProviders(): Promise<[enabled: string, disabled: string]> {
    return app.database.transaction(async (tx) => {
      const [one, other] = (await listProviders(tx)).map(({ id }) => id);
      if (one === undefined || other === undefined) throw new Error('there are always two providers');
      await updateProvider(tx, one, { enabled: true });
      await updateProvider(tx, other, { enabled: false });
      return [one, other];
    });
  }

  test('shows it with every documented field', async () => {
    const { body } = await post({ fqdn: 'www.example.com', description: 'front' }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      spaceId,
      fqdn: 'www.example.com',
      description: 'front',
      createdAt: app.clock.now().toISOString(),
      renewalEnabled: false,
    });
    const { body: fqdns } = await app.request.get(`/spaces/${spaceId}/fqdns`).set(app.people.ada.auth);
    expect(fqdns).toContainEqual(body);
  });

  test('has renewal off, even if the request sets it, and an empty description', async () => {
    const { body } = await post({ fqdn: 'off.example.com', renewalEnabled: true, id: unknownId }).expect(201);
    expect(body).toMatchObject({ renewalEnabled: false, description: '' });
    expect(body.id).not.toBe(unknownId);
  });

  test.each([
    ['capitals and a final dot', 'API.Example.COM.', 'api.example.com'],
    ['an international name', 'münchen.example', 'xn--mnchen-3ya.example'],
    ['a wildcard', '*.example.com', '*.example.com'],
    ['a single label', 'intranet', 'intranet'],
  ])('stores the normal form of %s', async (_situation, fqdn, stored) => {
    const { body } = await post({ fqdn }).expect(201);
    expect(body.fqdn).toBe(stored);
    await post({ fqdn: stored }).expect(409);
  });

  test('rejects an FQDN that the space already has, in any spelling', async () => {
    await post({ fqdn: 'twice.example.com' }).expect(201);
    for (const fqdn of ['twice.example.com', 'TWICE.example.com', 'twice.example.com.']) {
      const { body } = await post({ fqdn }).expect(409);
      expect(body).toMatchObject({ status: 409, code: 'fqdn_exists' });
    }
  });

  test('accepts the same name in another space, and does not reveal the first', async () => {
    await post({ fqdn: 'shared.example.com' }).expect(201);
    const other = await addSpace(app, 'other');
    const { body } = await post({ fqdn: 'shared.example.com' }, other.id).expect(201);
    expect(body).not.toHaveProperty('warning');
  });

  test('accepts exactly one of several concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post({ fqdn: 'race.example.com' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const entries = await auditEntries(app, 'fqdn.create');
    expect(entries.filter(({ details }) => details['fqdn'] === 'race.example.com')).toHaveLength(1);
  });

  test('accepts a provider, even if it is disabled', async () => {
    const [enabled, disabled] = await twoProviders();
    const { body } = await post({ fqdn: 'p1.example.com', providerId: enabled }).expect(201);
    expect(body.providerId).toBe(enabled);
    expect(body).not.toHaveProperty('warning');
    const { body: warned } = await post({ fqdn: 'p2.example.com', providerId: disabled }).expect(201);
    expect(warned).toMatchObject({ providerId: disabled, warning: 'the provider is disabled' });
  });

  test('refuses an unknown provider', async () => {
    const { body } = await post({ fqdn: 'p3.example.com', providerId: unknownId }).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'providerId',
        code: 'unknown_provider',
        message: 'names no provider; GET /providers lists them',
      },
    ]);
  });

  test.each<[string, unknown]>([
    ['no body', ''],
    ['an empty object', {}],
    ['null', 'null'],
    ['an array', [{ fqdn: 'a.example' }]],
    ['broken JSON', '{"fqdn":"a.example"'],
    ['an fqdn that is null', { fqdn: null }],
    ['an fqdn that is a number', { fqdn: 5 }],
    ['an fqdn that is an array', { fqdn: ['a.example'] }],
    ['an empty fqdn', { fqdn: '' }],
    ['a blank', { fqdn: ' ' }],
    ['a blank around it', { fqdn: ' a.example' }],
    ['an IP address', { fqdn: '192.0.2.1' }],
    ['an IPv6 address', { fqdn: '2001:db8::1' }],
    ['an underscore', { fqdn: 'a_b.example' }],
    ['an empty label', { fqdn: 'a..example' }],
    ['a label of 64 characters', { fqdn: `${'a'.repeat(64)}.example` }],
    ['254 characters', { fqdn: `${'a.'.repeat(126)}bb` }],
    ['200,000 characters', { fqdn: 'a'.repeat(200_000) }],
    ['a wildcard inside', { fqdn: 'a.*.example' }],
    ['a star alone', { fqdn: '*' }],
    ['a URL', { fqdn: 'https://a.example' }],
    ['half of a surrogate pair', '{"fqdn":"\\udfff.example"}'],
    ['NUL', { fqdn: 'a\u0000.example' }],
    ['a description that is null', { fqdn: 'a.example', description: null }],
    ['a description of 1001 characters', { fqdn: 'a.example', description: 'd'.repeat(1001) }],
    ['a providerId that is not a UUID', { fqdn: 'a.example', providerId: 'dummy-ca' }],
    ['a providerId that is null', { fqdn: 'a.example', providerId: null }],
    ['a providerId that is a number', { fqdn: 'a.example', providerId: 1 }],
  ])('refuses %s', async (_situation, body) => {
    const { body: problem } = await post(body).expect(400);
    expect(problem.errors.length).toBeGreaterThan(0);
  });

  test('refuses another content type', async () => {
    await app.request
      .post(`/spaces/${spaceId}/fqdns`)
      .set(app.people.ada.auth)
      .type('form')
      .send('fqdn=a.b')
      .expect(415);
  });

  test('returns 404 for an unknown space', async () => {
    await post({ fqdn: 'a.example' }, unknownId).expect(404);
    for (const id of badIds) await post({ fqdn: 'a.example' }, id).expect(404);
  });

  test('requires READ_WRITE, and returns 404 for unreadable spaces', async () => {
    const { ben, cleo } = app.people;
    const readable = await addSpace(app);
    const writable = await addSpace(app);
    await grant(app, ben, 'READ', [readable.id]);
    await grant(app, ben, 'READ_WRITE', [writable.id]);
    await post({ fqdn: 'a.example' }, readable.id, ben).expect(403);
    await post('{', readable.id, ben).expect(403);
    await post({ fqdn: 'a.example' }, writable.id, ben).expect(201);
    await post({ fqdn: 'a.example' }, writable.id, cleo).expect(404);
    await app.request.post(`/spaces/${writable.id}/fqdns`).send({ fqdn: 'a.example' }).expect(401);
  });

  test('leaves an audit entry', async () => {
    const fqdn = await addFqdn(app, spaceId, 'audited.example.com');
    const entries = await auditEntries(app, 'fqdn.create');
    expect(entries.find(({ resourceId }) => resourceId === fqdn.id)).toMatchObject({
      resourceType: 'fqdn',
      spaceId,
      username: 'ada',
      details: {
        outcome: 'success',
        fqdn: 'audited.example.com',
        after: { description: '', providerId: null, renewalEnabled: false },
      },
    });
  });

  describe('after a review of names', () => {
    const review = (names: unknown, space = spaceId, person = app.people.ada) =>
      app.request.post(`/spaces/${space}/fqdns/review`).set(person.auth).send({ names });

    test('returns the result for each, and stores nothing', async () => {
      const { id } = await addSpace(app, 'reviewed');
      const stored = await addFqdn(app, id, 'stored.example.com');
      await app.request
        .put(`/spaces/${id}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({
          allowedNames: {
            suffixes: ['example.com', 'xn--bcher-kva.example'],
            ...{ names: [], wildcards: true, cidrs: [], beyondFqdn: false },
          },
        })
        .expect(200);
      const before = (await auditEntries(app, 'fqdn.create')).length;
      const names = [
        'Stored.example.com.',
        '*.example.com',
        'bücher.example',
        'XN--bcher-kva.example',
        'other.test',
      ];
      const { body } = await review([...names, 'a_b.example'], id).expect(200);
      expect(body).toEqual([
        {
          ...{ name: names[0], fqdn: 'stored.example.com', verdict: 'exists', fqdnId: stored.id },
          message: expect.any(String),
        },
        { name: names[1], fqdn: '*.example.com', verdict: 'new' },
        { name: names[2], fqdn: 'xn--bcher-kva.example', verdict: 'new' },
        {
          ...{ name: names[3], fqdn: 'xn--bcher-kva.example', verdict: 'twin' },
          message: 'is the same name as number 3 of the list',
        },
        {
          ...{ name: names[4], fqdn: 'other.test', verdict: 'refused' },
          message: expect.stringContaining('ask an administrator to change the policy'),
        },
        { name: 'a_b.example', verdict: 'refused', message: 'must not contain underscores' },
      ]);
      expect(await auditEntries(app, 'fqdn.create')).toHaveLength(before);
      for (const { name, verdict } of body) {
        const answered = { new: 201, exists: 409, twin: 409, refused: 400 }[verdict as 'new'];
        await post({ fqdn: name }, id).expect(answered);
      }
    });

    test('accepts 1000 names of 253 characters', async () => {
      const names = Array.from({ length: 1000 }, (_, number) => `${'a.'.repeat(100)}n${number}.example`);
      const { body } = await review(names).expect(200);
      expect(body).toHaveLength(1000);
      expect(new Set((body as { verdict: string }[]).map(({ verdict }) => verdict))).toEqual(
        new Set(['new']),
      );
    });

    test.each<[string, unknown]>([
      ['no name', []],
      ['1001 names', Array.from({ length: 1001 }, () => 'a')],
      ['no list', 'a.example'],
      ['a name that is a number', [1]],
      ['a name of 1001 characters', ['a'.repeat(1001)]],
    ])('refuses %s', async (_, names) => {
      const { body } = await review(names).expect(400);
      expect(body.errors[0].path).toMatch(/^names/);
    });
  });
});
