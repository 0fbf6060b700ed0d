import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditClearings } from '../../src/audit/audit.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { signIn } from '../support/people.js';

describeEachDialect('emptying the audit log', (open) => {
  let app: TestApp;
  const clear = (person: keyof TestApp['people']) =>
    app.request.delete('/audit-logs').set(app.people[person].auth);
  const total = async () => (await app.request.get('/audit-logs').set(app.people.ada.auth)).body.total;

  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('empties the list, and records the clearing in a separate table', async () => {
    for (let made = 0; made < 3; made += 1) {
      await app.request.post('/audit-logs/test').set(app.people.ada.auth);
    }
    const { status, body } = await clear('ada');
    expect(status).toBe(200);
    expect(body).toEqual({ message: 'all audit logs deleted (3)' });
    expect(await total()).toBe(0);
    const [clearing] = await app.database.read((tx) => tx.findBy(auditClearings, { count: 3 }));
    expect(clearing).toMatchObject({ firstSeq: 1, lastSeq: 3, username: 'ada', at: app.clock.now() });
    expect(app.logged()).toContainEqual(
      expect.objectContaining({ event: 'audit.cleared', level: 'warn', count: 3, username: 'ada' }),
    );
  });

  test('is listed for administrators', async () => {
    const list = (person: keyof TestApp['people']) =>
      app.request.get('/audit-logs/clearings').set(app.people[person].auth);
    const before = (await list('ada')).body.length;
    await clear('ada');
    const { status, body } = await list('ada');
    expect([status, body.length]).toEqual([200, before + 1]);
    expect(body[0]).toEqual({
      at: app.clock.now().toISOString(),
      count: 3,
      firstSeq: 1,
      lastSeq: 3,
      userId: app.people.ada.id,
      username: 'ada',
      ipAddress: expect.any(String),
    });
    expect(body.at(-1)).toMatchObject({ count: 0, firstSeq: null, lastSeq: null });
    expect((await list('ben')).status).toBe(403);
    expect((await app.request.get('/audit-logs/clearings')).status).toBe(401);
    await app.request.delete('/audit-logs').set(app.people.ada.auth);
  });

  test('counts each entry once, no matter who else empties it at that moment', async () => {
    for (let made = 0; made < 3; made += 1) {
      await app.request.post('/audit-logs/test').set(app.people.ada.auth);
    }
    const before = (await app.database.read((tx) => tx.find(auditClearings))).length;
    await Promise.all([clear('ada'), clear('ada'), clear('ada'), clear('ada')]);
    const clearings = await app.database.read((tx) => tx.find(auditClearings, { order: { id: 'ASC' } }));
    expect(
      clearings
        .slice(before)
        .map(({ count }) => count)
        .toSorted(),
    ).toEqual([0, 0, 0, 3]);
  });

  test('never uses a position again', async () => {
    await app.request.post('/audit-logs/test').set(app.people.ada.auth);
    const { body } = await app.request.get('/audit-logs').set(app.people.ada.auth);
    // the first three were deleted, the fourth is the refusal, and three more were deleted
    expect(body.logs).toMatchObject([{ seq: 8 }]);
  });

  test('is refused to others, and the refusal is recorded', async () => {
    expect((await clear('ben')).status).toBe(403);
    const { body } = await app.request.get('/audit-logs?action=access.denied').set(app.people.ada.auth);
    expect(body.logs).toMatchObject([
      {
        username: 'ben',
        details: { outcome: 'denied', reason: 'admin_required', subject: 'DELETE /audit-logs', count: 1 },
      },
    ]);
  });

  test('restarts the count of denials', async () => {
    await clear('ben');
    await clear('ada');
    await clear('ben');
    expect(await total()).toBe(1);
  });

  test('leaves sessions and tokens alone', async () => {
    const session = await signIn(app, app.people.ada);
    await clear('ada');
    expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(200);
  });
});

describeEachDialect('a service that keeps its audit log', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment: { AUDIT_DELETE: 'deny' } });
  });
  afterAll(() => app.close());

  test('refuses to empty it, to administrators too', async () => {
    await app.request.post('/audit-logs/test').set(app.people.ada.auth);
    const { status, body } = await app.request.delete('/audit-logs').set(app.people.ada.auth);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'audit_delete_denied' });
    expect((await app.request.get('/audit-logs?action=audit.test').set(app.people.ada.auth)).body.total).toBe(
      1,
    );
  });
});
