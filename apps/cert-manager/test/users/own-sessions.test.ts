import type { OwnSession } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addGroup } from '../support/factories.js';
import { addSpace, auditEntries } from '../support/inventory.js';
import { type SignedIn, signIn } from '../support/people.js';

describeEachDialect('own sessions', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const list = async ({ reading }: SignedIn): Promise<OwnSession[]> =>
    (await app.request.get('/auth/sessions').set(reading).expect(200)).body;
  const end = ({ writing }: SignedIn, id: string | undefined) =>
    app.request.delete(`/auth/sessions/${id}`).set(writing);

  test('are listed, and each can be ended', async () => {
    const first = await signIn(app, app.people.ben);
    app.clock.advance(60_000);
    const second = await signIn(app, app.people.ben);
    const [newest, oldest] = await list(first);
    expect(newest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdAt: app.clock.now().toISOString(),
      lastUsedAt: app.clock.now().toISOString(),
      isCurrent: false,
    });
    expect(oldest).toMatchObject({ isCurrent: true });
    const stranger = await signIn(app, app.people.cleo);
    await end(stranger, newest?.id).expect(404);
    await end(first, newest?.id).expect(200);
    await app.request.get('/auth/me').set(second.reading).expect(401);
    expect(await list(first)).toHaveLength(1);
    await end(first, newest?.id).expect(404);
    expect((await auditEntries(app, 'auth.logout')).at(-1)).toMatchObject({ resourceId: newest?.id });

    app.clock.advance(25 * 60_000);
    await app.request.get('/auth/me').set(stranger.reading).expect(200);
    app.clock.advance(6 * 60_000);
    const later = await signIn(app, app.people.ben);
    expect(await list(later)).toMatchObject([{ isCurrent: true }]);
  });

  test('permissions of a user are shown to administrators as the user sees them', async () => {
    const { ada, ben } = app.people;
    const { id: spaceId } = await addSpace(app);
    await addGroup(app, { permission: 'READ_WRITE', spaceIds: [spaceId], userIds: [ben.id] });
    const own = await app.request.get('/user/permissions').set(ben.auth).expect(200);
    const shown = await app.request.get(`/users/${ben.id}/permissions`).set(ada.auth).expect(200);
    expect(shown.body).toEqual(own.body);
    expect(shown.body.permissions.canCreateFqdn).toEqual({ [spaceId]: true });
    const admin = await app.request.get(`/users/${ada.id}/permissions`).set(ada.auth).expect(200);
    expect(admin.body).toMatchObject({ isAdmin: true, hasFullAccess: true });
  });
});
