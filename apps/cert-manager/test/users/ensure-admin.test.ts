import { describeEachDialect } from '@certloop/db/testing';
import { createPasswords } from '@certloop/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInCaller, internalOrigin } from '../../src/access/caller.js';
import { createAdmin, ensureAdmin, type NewAccount } from '../../src/users/accounts.service.js';
import { quickCost, startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { signIn } from '../support/people.js';

const caller = builtInCaller('cli', internalOrigin('run-1'));
const eve = { username: 'eve', email: 'eve@example.org', password: 'correct horse' };

describeEachDialect('ensuring an administrator', (open) => {
  let app: TestApp;
  const deps = () => ({
    db: app.database,
    clock: app.clock,
    passwords: createPasswords(quickCost),
    passwordMinLength: 8,
  });
  const ensure = (account: NewAccount) => ensureAdmin(deps(), caller, account);

  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('creates the administrator once, and changes nothing if the account matches', async () => {
    expect(await ensure(eve)).toBe('created');
    const { body } = await app.request.post('/auth/login').send(eve);
    expect(body.user).toMatchObject({ username: 'eve', isAdmin: true, enabled: true });
    expect(await ensure(eve)).toBe('unchanged');
  });

  test('sets the new password and ends the sessions', async () => {
    const session = await signIn(app, eve);
    expect(await ensure({ ...eve, password: 'battery staple' })).toBe('changed');
    expect((await app.request.get('/auth/me').set(session.reading)).status).toBe(401);
    expect((await app.request.post('/auth/login').send(eve)).status).toBe(401);
    await signIn(app, { ...eve, password: 'battery staple' });
  });

  test('makes a disabled user without rights an administrator again, and leaves the password unchanged', async () => {
    const user = await addUser(app, { enabled: false });
    expect(await ensure(user)).toBe('changed');
    const { body } = await app.request.post('/auth/login').send(user);
    expect(body.user).toMatchObject({ id: user.id, isAdmin: true, enabled: true });
  });

  test('writes audit entries without the password', async () => {
    await ensure({ username: 'ida', email: 'ida@example.org', password: 'in the dark' });
    await ensure({ username: 'ida', email: 'ida@example.org', password: 'in the light' });
    const { body } = await app.request.get('/audit-logs?username=cli&limit=2').set(app.people.ada.auth);
    expect(body.logs).toMatchObject([
      { action: 'user.update', details: { password: { changed: true }, actor: { kind: 'cli' } } },
      { action: 'user.create', details: { after: { username: 'ida' } } },
    ]);
    expect(JSON.stringify(body)).not.toContain('in the');
  });

  test.each([
    [
      'a name that is taken, whatever its case',
      { ...eve, username: 'CLEO', email: 'c@example.org' },
      'username: is taken',
    ],
    [
      'an address that is taken',
      { ...eve, username: 'eva', email: 'Cleo@example.org' },
      'email: belongs to another user',
    ],
    [
      'a name with a blank',
      { ...eve, username: 'eve x' },
      'username: must be 3 to 64 letters, digits or any of . _ @ -',
    ],
    ['no mail address', { ...eve, username: 'eva', email: 'eva' }, 'email: must be an e-mail address'],
    [
      'a common password',
      { ...eve, username: 'eva', password: 'Password123' },
      'password: is among the most common ones',
    ],
    [
      'the name as password',
      { ...eve, username: 'evamaria', password: 'EvaMaria' },
      'password: must not be the user name or the e-mail address',
    ],
  ])('refuses %s', async (_, account, message) => {
    await expect(createAdmin(deps(), caller, account)).rejects.toThrow(message);
  });
});
