import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addUser } from '../support/factories.js';
import { signIn } from '../support/people.js';

describeEachDialect('creating an API token in a session', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const create = (session: { writing: Readonly<Record<string, string>> }, password?: string) =>
    app.request
      .post('/api-tokens')
      .set(session.writing)
      .send({ name: 'ci', scope: 'READ', ...(password !== undefined && { password }) });

  test('needs no password within ten minutes of the sign-in', async () => {
    const session = await signIn(app, await addUser(app));
    app.clock.advance(9 * 60_000);
    await create(session).expect(201);
  });

  test('needs the password later', async () => {
    const user = await addUser(app);
    const session = await signIn(app, user);
    app.clock.advance(10 * 60_000);
    const { body } = await create(session).expect(403);
    expect(body).toMatchObject({
      code: 'password_required',
      errors: [{ path: 'password', message: 'is required: you signed in over 10 minutes ago' }],
    });
    expect((await create(session, 'wrong').expect(403)).body).toMatchObject({
      code: 'wrong_password',
      errors: [{ path: 'password', message: 'is not your password' }],
    });
    await create(session, user.password).expect(201);
    const { body: tokens } = await app.request.get('/api-tokens').set(session.reading);
    expect(tokens).toHaveLength(1);
  });

  test('limits who guesses the password in a stolen session', async () => {
    const session = await signIn(app, await addUser(app));
    app.clock.advance(10 * 60_000);
    for (let time = 0; time < 10; time += 1) await create(session, 'wrong').expect(403);
    expect((await create(session, 'wrong').expect(429)).headers['retry-after']).toBe('15');
  });
});
