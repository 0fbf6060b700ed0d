import { openDatabase } from '@certloop/db';
import { createTestDatabase, describeOnPostgres, openRelay, type Relay } from '@certloop/db/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { startAppOn, type TestApp } from '../support/app.js';

const unavailable = {
  status: 503,
  code: 'database_unavailable',
  message: 'the database is not available; try again in 5 s',
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describeOnPostgres('a database that is away', () => {
  let relay: Relay;
  let app: TestApp;

  beforeEach(async () => {
    const made = await createTestDatabase('postgres', schema);
    relay = await openRelay(made.url);
    const database = await openDatabase({ url: relay.url, schema });
    cleanups.push(
      made.drop,
      () => relay.close(),
      () => database.close(),
    );
    app = await startAppOn(database);
    cleanups.push(() => app.close());
  });

  test('causes 503 with Retry-After, and is used again when it is back', async () => {
    const { auth } = app.people.ada;
    await app.request.get('/spaces').set(auth).expect(200);
    relay.goAway();
    for (const request of [app.request.get('/spaces'), app.request.post('/spaces').send({ name: 'Shop' })]) {
      const { body, headers } = await request.set(auth).expect(503);
      expect(body).toMatchObject(unavailable);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(headers['retry-after']).toBe('5');
    }
    relay.comeBack();
    await app.request.post('/spaces').set(auth).send({ name: 'Shop' }).expect(201);
  });
});

describe('a full disk under SQLite', () => {
  let app: TestApp;

  beforeEach(async () => {
    const { database, drop } = await createTestDatabase('sqlite', schema);
    cleanups.push(drop);
    app = await startAppOn(database);
    cleanups.push(() => app.close());
  });

  const limitPages = (pages: number) =>
    app.database.transaction((tx) => tx.query(`pragma max_page_count = ${pages}`));

  test('causes 503 for writers, while readers are served', async () => {
    const { auth } = app.people.ada;
    const create = (name: string) =>
      app.request
        .post('/spaces')
        .set(auth)
        .send({ name, description: 'x'.repeat(900) });
    await create('first').expect(201);
    await limitPages(1);
    let refused = await create('next');
    // some fit into pages that exist
    for (let n = 0; n < 20 && refused.status === 201; n += 1) refused = await create('next');
    expect(refused.body).toMatchObject(unavailable);
    expect(refused.headers['retry-after']).toBe('5');
    const { body } = await app.request.get('/spaces').set(auth).expect(200);
    expect(body).toContainEqual(expect.objectContaining({ name: 'first' }));
    const message = 'the database cannot be written: its disk is full';
    const unready = await app.request.get('/health/ready').expect(503);
    expect(unready.body).toMatchObject({ code: 'unavailable', message });
    expect(unready.headers['retry-after']).toBe('5');
    expect((await app.request.get('/health').expect(200)).body).toMatchObject({
      status: 'degraded',
      message,
    });
    await app.request.get('/health/live').expect(200);
    await limitPages(1_000_000);
    await app.request.get('/health/ready').expect(200);
    expect((await app.request.get('/health').expect(200)).body).toMatchObject({ status: 'ok' });
    await create('last').expect(201);
  });

  test('does not reject readers whose token was not used recently', async () => {
    const { auth } = app.people.ada;
    await app.request.get('/spaces').set(auth).expect(200);
    app.clock.advance(120_000);
    const drop = `create trigger refuse_notes before update on api_tokens
      begin select raise(abort, 'the database is read-only'); end`;
    await app.database.transaction((tx) => tx.query(drop));
    await app.request.get('/spaces').set(auth).expect(200);
    await app.request.get('/spaces').set(auth).expect(200);
    expect(app.logged().filter(({ event }) => event === 'credential.use_not_recorded')).toHaveLength(1);
    await app.database.transaction((tx) => tx.query('drop trigger refuse_notes'));
    app.clock.advance(120_000);
    await app.request.get('/spaces').set(auth).expect(200);
    const [{ at } = { at: null }] = await app.database.read(
      (tx) => tx.query('select max(last_used_at) as at from api_tokens') as Promise<{ at: unknown }[]>,
    );
    expect(new Date(String(at)).getTime()).toBe(app.clock.now().getTime());
  });
});
