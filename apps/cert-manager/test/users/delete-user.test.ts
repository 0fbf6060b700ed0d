import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGroup, readGroup } from '../support/access/groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { addSpace, auditEntries, badIds, unknownId } from '../support/inventory.js';
import { type Person, settlePerson, signIn } from '../support/people.js';

describeEachDialect('deleting a user', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const drop = (id: string, person: Person = app.people.ada) =>
    app.request.delete(`/users/${id}`).set(person.auth);

  test('ends their sessions, tokens and memberships, and keeps their audit entries', async () => {
    const dora = await settlePerson(app, { username: 'dora', isAdmin: true });
    const space = await addSpace(app);
    const group = await makeGroup(app, { spaceIds: [space.id], userIds: [dora.id] });
    const { reading } = await signIn(app, dora);
    await app.request.post('/audit-logs/test').set(dora.auth).expect(200);

    expect((await drop(dora.id).expect(200)).body).toEqual({ message: 'user deleted' });
    await app.request.get('/auth/me').set(reading).expect(401);
    await app.request.get('/spaces').set(dora.auth).expect(401);
    await app.request.post('/auth/login').send(dora).expect(401);
    expect((await readGroup(app, group)).userIds).toEqual([]);
    await drop(dora.id).expect(404);
    await app.request.get(`/users/${dora.id}`).set(app.people.ada.auth).expect(404);

    expect((await auditEntries(app, 'audit.test')).at(-1)).toMatchObject({
      userId: dora.id,
      username: 'dora',
    });
    expect((await auditEntries(app, 'user.delete')).at(-1)).toMatchObject({
      resourceId: dora.id,
      details: { before: { username: 'dora', email: dora.email, isAdmin: true, enabled: true } },
    });
  });

  test('frees the name', async () => {
    const first = await addUser(app, { username: 'again' });
    await drop(first.id).expect(200);
    await addUser(app, { username: 'Again' });
  });

  test('rejects deleting oneself, even if there are other administrators', async () => {
    await addUser(app, { isAdmin: true });
    const { body } = await drop(app.people.ada.id).expect(400);
    expect(body.code).toBe('self_delete');
    await drop(app.people.ada.id.toUpperCase()).expect(400);
  });

  test('refuses to delete the last administrator, even for an administrator without an account', async () => {
    const openApp = await startApp(open, { environment: { AUTH_MODE: 'open' } });
    const { body } = await openApp.request.delete(`/users/${openApp.people.ada.id}`).expect(400);
    expect(body.code).toBe('last_admin');
    await openApp.close();
  });

  test('returns 404 for an unknown user', async () => {
    await drop(unknownId).expect(404);
    for (const id of badIds) await drop(id).expect(404);
  });

  test('requires an administrator, also for oneself', async () => {
    const { ben, cleo } = app.people;
    await drop(ben.id, ben).expect(403);
    await drop(cleo.id, ben).expect(403);
    await drop(unknownId, ben).expect(403);
    await app.request.delete(`/users/${ben.id}`).expect(401);
  });
});
