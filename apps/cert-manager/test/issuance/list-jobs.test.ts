import type { ListedIssuanceJob } from '@certloop/contracts';
import { insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';

describeEachDialect('listing requests for certificates', (open) => {
  let app: TestApp;
  let first: Awaited<ReturnType<typeof addJob>>;
  let failed: string;
  beforeAll(async () => {
    app = await startApp(open);
    const ended = { state: 'issued', finishedAt: app.clock.now() } as const;
    first = await addJob(app, ended);
    app.clock.advance(1_000);
    const error = { code: 'x', message: 'the CA says no', retryable: false };
    const { id: fqdnId, spaceId } = first.fqdn;
    const { job } = await addJob(app, {
      fqdnId,
      spaceId,
      state: 'failed',
      cause: 'sign',
      message: 'the CA says no',
      steps: { csrCheck: { status: 'ok' }, order: { status: 'failed', error } },
      finishedAt: app.clock.now(),
    });
    failed = job.id;
    await addJob(app);
  });
  afterAll(() => app.close());

  const list = async (query: Readonly<Record<string, string>>, person = app.people.ada) => {
    const sent = app.request.get('/issuance-jobs').query(query).set(person.auth);
    const { body, headers } = await sent.expect(200);
    return { jobs: body as ListedIssuanceJob[], headers };
  };

  test('returns the newest first, with the user, the provider and the failed step, and no PEM', async () => {
    const { jobs } = await list({ fqdnId: first.fqdn.id });
    expect(jobs).toEqual([
      {
        id: failed,
        fqdnId: first.fqdn.id,
        spaceId: first.fqdn.spaceId,
        status: 'failed',
        message: 'the CA says no',
        createdAt: app.clock.now().toISOString(),
        finishedAt: app.clock.now().toISOString(),
        providerId: first.job.providerId,
        trigger: 'sign',
        requestedBy: 'ada',
        failedStep: 'order',
      },
      expect.objectContaining({ id: first.job.id, trigger: 'request', status: 'completed' }),
    ]);
    expect((await list({ spaceId: first.fqdn.spaceId })).jobs).toEqual(jobs);
    expect((await list({ fqdnId: first.fqdn.id, status: 'completed' })).jobs).toMatchObject([
      { id: first.job.id },
    ]);
    expect((await list({ fqdnId: first.fqdn.id, spaceId: unknownId })).jobs).toEqual([]);
  });

  test.each(['running', 'waiting'] as const)(
    'returns no end of a failed one that is continued: %s',
    async (status) => {
      const { job, fqdn } = await addJob(app, { state: status, finishedAt: app.clock.now(), attempt: 2 });
      const [listed] = (await list({ fqdnId: fqdn.id })).jobs;
      const { body: shown } = await app.request
        .get(`/issuance-jobs/${job.id}`)
        .set(app.people.ada.auth)
        .expect(200);
      for (const each of [listed, shown]) {
        expect(each).toMatchObject({ id: job.id, status });
        expect(each).not.toHaveProperty('finishedAt');
      }
    },
  );

  test('returns pages', async () => {
    const { jobs, headers } = await list({ fqdnId: first.fqdn.id, limit: '1' });
    expect(jobs).toMatchObject([{ id: failed }]);
    expect(headers['x-total-count']).toBe('2');
    const next = /<([^>]*)>/.exec(headers['link'] ?? '')?.[1] ?? '';
    const { body } = await app.request.get(next).set(app.people.ada.auth).expect(200);
    expect(body).toMatchObject([{ id: first.job.id }]);
  });

  test('returns nothing of spaces that the caller cannot read', async () => {
    const { fqdn } = first;
    for (const query of [{ fqdnId: fqdn.id }, { spaceId: fqdn.spaceId }, { fqdnId: unknownId }]) {
      expect((await list(query, app.people.ben)).jobs).toEqual([]);
    }
    await grant(app, app.people.ben, 'READ', [fqdn.spaceId]);
    expect((await list({ fqdnId: fqdn.id }, app.people.ben)).jobs).toHaveLength(2);
  });

  test('returns no ended ones after 90 days, however many there are', async () => {
    const { job, fqdn } = await addJob(app, { state: 'failed', finishedAt: app.clock.now() });
    const finishedAt = new Date(app.clock.now().getTime() - 91 * 86_400_000);
    const old = Array.from({ length: 2_500 }, () => ({ ...job, id: crypto.randomUUID(), finishedAt }));
    await app.database.transaction((tx) => insertMany(tx, issuances, old));
    expect((await list({ fqdnId: fqdn.id })).jobs).toHaveLength(2_501);
    await app.jobs.run('issuance.sweep');
    expect((await list({ fqdnId: fqdn.id })).jobs).toMatchObject([{ id: job.id }]);
  });

  test.each([
    ['neither FQDN nor space', {}, 'query.fqdnId'],
    ['an FQDN that is not a UUID', { fqdnId: 'x' }, 'query.fqdnId'],
    ['an unknown status', { fqdnId: unknownId, status: 'done' }, 'query.status'],
  ])('refuses %s', async (_situation, query, path) => {
    const { body } = await app.request
      .get('/issuance-jobs')
      .query(query)
      .set(app.people.ada.auth)
      .expect(400);
    expect(body.errors).toMatchObject([{ path }]);
  });
});
