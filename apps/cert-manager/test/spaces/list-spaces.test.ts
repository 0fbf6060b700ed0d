import type { Space } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addSpace } from '../support/inventory.js';
import type { Person } from '../support/people.js';

describeEachDialect('listing spaces', (open) => {
  let app: TestApp;
  let spaces: Space[];
  beforeAll(async () => {
    app = await startApp(open);
    expect(await listOf(app.people.ada)).toEqual([]);
    spaces = [];
    for (const name of ['one', 'two', 'three']) {
      spaces.push(await addSpace(app, name));
    }
    app.clock.advance(1000);
    spaces.push(await addSpace(app, 'four'));
  });
  afterAll(() => app.close());

  async function listOf({ auth }: Person): Promise<Space[]> {
    const { body } = await app.request.get('/spaces').set(auth).expect(200);
    return body as Space[];
  }

  test('returns all of them to an administrator, oldest first, also with equal times', async () => {
    expect(await listOf(app.people.ada)).toEqual(spaces);
  });

  test('returns only those that the caller may read', async () => {
    const [, two, three, four] = spaces;
    await grant(app, app.people.ben, 'READ', [four?.id ?? '', two?.id ?? '']);
    await grant(app, app.people.ben, 'READ_WRITE', [three?.id ?? '']);
    expect(await listOf(app.people.ben)).toEqual([two, three, four]);
    expect(await listOf(app.people.cleo)).toEqual([]);
  });

  test('requires a signed-in caller', async () => {
    const { headers } = await app.request.get('/spaces').expect(401);
    expect(headers['www-authenticate']).toMatch(/^Bearer/);
  });

  test('handles HEAD and a trailing slash like GET', async () => {
    const { ada } = app.people;
    const { headers, text } = await app.request.head('/spaces').set(ada.auth).expect(200);
    expect(headers['content-type']).toContain('application/json');
    expect(text ?? '').toBe('');
    const { body } = await app.request.get('/spaces/').set(ada.auth).expect(200);
    expect(body).toEqual(spaces);
  });

  test('rejects other methods and names the allowed ones', async () => {
    for (const method of ['put', 'delete', 'patch'] as const) {
      const { headers } = await app.request[method]('/spaces').set(app.people.ada.auth).expect(405);
      expect(headers['allow']).toBe('GET, HEAD, POST');
    }
  });
});
