import type { OwnSpace } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { In } from 'typeorm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { schema } from '../../src/database.js';
import { addSpaceSizes } from '../../src/migrations/0034-space-sizes.js';
import { spaceSizes } from '../../src/spaces/space-sizes.repository.js';
import { sweepSpaceSizes } from '../../src/spaces/sweep-space-sizes.service.js';
import { createRunnableJobs } from '../../src/system/runnable-jobs.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { addFqdn, addSpace } from '../support/inventory.js';

/** All but the clock and `setTimeout`: the database works as usual. */

describeEachDialect('the number of FQDNs of a space', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());
  afterEach(() => {
    vi.useRealTimers();
  });

  const countsOf = async (id: string) => {
    const { body } = await app.request.get(`/spaces/${id}`).set(app.people.ada.auth).expect(200);
    return (body as OwnSpace).counts;
  };
  const totalOf = async (id: string) => (await countsOf(id)).total;
  const listed = async (id: string) => {
    const { body } = await app.request.get(`/spaces/${id}/fqdns`).set(app.people.ada.auth).expect(200);
    return (body as readonly object[]).length;
  };
  const post = (spaceId: string, fqdn: string) =>
    app.request.post(`/spaces/${spaceId}/fqdns`).set(app.people.ada.auth).send({ fqdn });
  const remove = (path: string) => app.request.delete(path).set(app.people.ada.auth);
  const recounted = () => app.logged().filter(({ event }) => event === 'spaces.recounted');

  test('follows each addition and deletion, also rejected ones', async () => {
    const { id } = await addSpace(app);
    expect(await totalOf(id)).toBe(0);
    const { id: first } = await addFqdn(app, id, 'a.example.org');
    await addFqdn(app, id, 'b.example.org');
    await addFqdn(app, id, 'c.example.org');
    await post(id, 'a.example.org').expect(409);
    expect(await totalOf(id)).toBe(3);
    await remove(`/spaces/${id}/fqdns/${first}`).expect(200);
    await remove(`/spaces/${id}/fqdns/${first}`).expect(404);
    expect(await totalOf(id)).toBe(2);
    await remove(`/spaces/${id}/fqdns`).expect(200);
    expect(await totalOf(id)).toBe(0);
  });

  test('is right after concurrent additions and deletions', async () => {
    const [one, other, gone] = [await addSpace(app), await addSpace(app), await addSpace(app)];
    const early = await Promise.all(
      [1, 2, 3, 4].map((number) => addFqdn(app, one.id, `early-${number}.example.org`)),
    );
    const adding = (id: string, round: string) =>
      [1, 2, 3, 4].map((number) => post(id, `${round}-${number}.example.org`));
    for (const round of ['first', 'second', 'third']) {
      const answers = await Promise.all([
        ...adding(one.id, round),
        ...adding(other.id, round),
        ...adding(gone.id, round),
        ...early.slice(0, 2).map(({ id }) => remove(`/spaces/${one.id}/fqdns/${id}`)),
        remove(`/spaces/${other.id}/fqdns`),
        ...(round === 'second' ? [remove('/fqdns?confirm=true')] : []),
        ...(round === 'third' ? [remove(`/spaces/${gone.id}?deleteFqdns=true`)] : []),
        ...adding(one.id, `${round}-later`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      for (const { id } of [one, other]) expect(await totalOf(id)).toBe(await listed(id));
    }
    await app.sweepSpaceSizes();
    expect(recounted()).toEqual([]);
    const left = await app.database.read((tx) => tx.findBy(spaceSizes, { spaceId: gone.id }));
    expect(left).toEqual([]);
  });

  test('is counted again if an earlier version left it absent or wrong', async () => {
    const [missing, wrong, small] = [await addSpace(app), await addSpace(app), await addSpace(app)];
    for (const { id } of [missing, wrong, small]) await addFqdn(app, id);
    await app.database.transaction(async (tx) => {
      await tx.delete(spaceSizes, { spaceId: missing.id });
      await tx.update(spaceSizes, { spaceId: wrong.id }, { fqdnCount: 7 });
    });
    // counted at each request until the sweep
    expect(await totalOf(missing.id)).toBe(1);
    await app.database.transaction((tx) => tx.update(spaceSizes, { spaceId: small.id }, { fqdnCount: 0 }));
    expect(await countsOf(small.id)).toMatchObject({ total: 1, unfinished: 1, valid: 0 });
    await app.sweepSpaceSizes();
    expect(recounted()).toMatchObject([{ corrected: 3 }]);
    for (const { id } of [missing, wrong, small]) expect(await totalOf(id)).toBe(1);
    await addFqdn(app, missing.id, 'next.example.org');
    expect(await totalOf(missing.id)).toBe(2);
  });

  test('is right after spaces are counted, added and deleted while FQDNs change', async () => {
    const old = await Promise.all([1, 2, 3, 4, 5, 6].map(() => addSpace(app)));
    const forget = (ids: readonly string[]) =>
      app.database.transaction((tx) => tx.delete(spaceSizes, { spaceId: In([...ids]) }));
    const fill = (id: string, round: string) =>
      [1, 2, 3].map((number) => post(id, `${round}-${number}.example.org`));
    for (const round of ['first', 'second', 'third', 'fourth']) {
      await forget(old.map(({ id }) => id));
      const gone = await addSpace(app);
      await addFqdn(app, gone.id);
      await forget([gone.id]);
      const added = addSpace(app).then(async ({ id }) => {
        await Promise.all(fill(id, round));
        return id;
      });
      const swept = app.sweepSpaceSizes();
      const answers = await Promise.all([
        ...old.flatMap(({ id }) => fill(id, round)),
        ...(round === 'fourth' ? [] : [remove('/fqdns?confirm=true')]),
        remove(`/spaces/${gone.id}?deleteFqdns=true`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      await swept;
      const ids = old.map(({ id }) => id);
      // what was removed from a space without a stored size is seen by the next sweep
      const known = [await added, ...(round === 'fourth' ? ids : [])];
      for (const id of known) expect(await totalOf(id)).toBe(await listed(id));
      await app.sweepSpaceSizes();
      for (const id of ids) expect(await totalOf(id)).toBe(await listed(id));
    }
  });

  test('is counted again once a minute, also after the clock jumps back or ahead by a day', async () => {
    const { id } = await addSpace(app);
    await addFqdn(app, id, 'counted.example.org');
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const logger = createLogger({ service: 'test', level: 'info', destination });
    const recounts = () => lines.filter((line) => line.includes('spaces.recounted')).length;
    const falsify = () =>
      app.database.transaction((tx) => tx.update(spaceSizes, { spaceId: id }, { fqdnCount: 9 }));
    const stored = async () => {
      const row = await app.database.read((tx) => tx.findOneBy(spaceSizes, { spaceId: id }));
      return row?.fqdnCount;
    };
    const settled = async (count: number) => {
      while (recounts() < count) await new Promise((resolve) => setImmediate(resolve));
      // so that the poller has begun to wait for its next round
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await falsify();
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const run = () => sweepSpaceSizes({ db: app.database, logger });
    const { 'spaces.sweep': job } = app.jobs.table;
    const jobs = createRunnableJobs(
      { job: { ...job, run } },
      { logger, watchJob: (_name, work) => work(), heartbeatOf: () => undefined },
    );
    jobs.start();
    await settled(1);
    const day = 86_400_000;
    for (const [round, jump] of [-day, 2 * day].entries()) {
      await falsify();
      vi.setSystemTime(Date.now() + jump);
      vi.advanceTimersByTime(59_000);
      await settled(1 + round);
      expect({ jump, stored: await stored() }).toEqual({ jump, stored: 9 });
      vi.advanceTimersByTime(1_000);
      await settled(2 + round);
      expect({ jump, stored: await stored() }).toEqual({ jump, stored: 1 });
    }
    expect(recounts()).toBe(3);
    await jobs.stop();
  });

  test('is filled in by the migration', async () => {
    const { database } = app;
    const sizes = () => database.read((tx) => tx.find(spaceSizes, { order: { spaceId: 'ASC' } }));
    await addSpace(app, 'an empty one');
    const before = await sizes();
    const fromThere = schema.migrations.slice(schema.migrations.indexOf(addSpaceSizes));
    for (const _ of fromThere) await database.revertLast();
    await database.migrate();
    expect(await sizes()).toEqual(before);
  });
});
