import { beforeEach, expect, test } from 'vitest';
import { startCa, type TestCa } from '../support/app.js';
import { csrField } from '../support/csrs.js';

const dayMs = 86_400_000;
const csr = csrField();
let ca: TestCa;
beforeEach(async () => {
  ca = await startCa({}, { now: new Date('2026-11-21T10:00:00Z') });
});

const askWith = (key: string, members: object = {}) =>
  ca.sign({ csr, ...members }).set('Idempotency-Key', key);

const idOf = async (key: string, members?: object): Promise<string> =>
  (await askWith(key, members).expect(200)).body.id as string;

test('returns the previous certificate for the same request with the same key', async () => {
  const { body } = await askWith('one').expect(200);
  expect((await askWith('one').expect(200)).body).toEqual(body);
});

test('signs once for two requests at the same moment', async () => {
  const [one, other] = await Promise.all([idOf('one'), idOf('one')]);
  expect(one).toBe(other);
});

test('signs each time without a key, and under each key', async () => {
  const plain = async () => (await ca.sign({ csr }).expect(200)).body.id as string;
  const ids = [await plain(), await plain(), await idOf('one'), await idOf('other')];
  expect(new Set(ids).size).toBe(4);
});

test('refuses a key that was used for another request', async () => {
  await idOf('one');
  const { body } = await askWith('one', { validity_days: 30 }).expect(400);
  expect(body).toEqual({ error: 'this Idempotency-Key was used for another request' });
  await askWith('one', { csr: csrField() }).expect(400);
});

test('drops a key after a day', async () => {
  const first = await idOf('one');
  ca.clock.advance(dayMs - 1);
  expect(await idOf('one')).toBe(first);
  ca.clock.advance(1);
  expect(await idOf('one')).not.toBe(first);
});

test('does not store a rejection', async () => {
  await askWith('one', { csr: 'bm90IGEgQ1NS' }).expect(400);
  await askWith('one').expect(200);
});

test('signs again when the earlier certificate is no longer stored', async () => {
  const forgetful = await startCa({}, { storeLimits: { count: 1, octets: 1_000_000 } });
  const ask = () => forgetful.sign({ csr }).set('Idempotency-Key', 'one').expect(200);
  const { body } = await ask();
  await forgetful.sign({ csr }).expect(200);
  expect((await ask()).body.id).not.toBe(body.id);
});

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(201)],
  ['of two words', 'one two'],
])('refuses a key that is %s', async (_, key) => {
  const { body } = await askWith(key).expect(400);
  expect(body.error).toContain('Idempotency-Key');
});
