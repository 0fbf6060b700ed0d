import { certificateRecordSchema } from '@certloop/contracts';
import request from 'supertest';
import { beforeAll, describe, expect, test } from 'vitest';
import { startCa, type TestCa } from '../support/app.js';

let ca: TestCa;
beforeAll(async () => {
  ca = await startCa({}, { now: new Date('2026-11-21T10:11:12.345Z') });
});

const plainType = 'text/plain; charset=utf-8';

describe('GET /certificate/{id}', () => {
  test('shows a certificate as it was returned, with the moment of its issue', async () => {
    const { id, pem } = await ca.issue();
    const { body } = await request(ca.http).get(`/certificate/${id}`).expect(200);
    expect(body).toEqual({ id, certificate: pem, created_at: '2026-11-21T10:11:12.345Z' });
    expect(certificateRecordSchema.parse(body)).toEqual(body);
  });

  test('finds an identifier in capitals, and with a trailing slash', async () => {
    const { id } = await ca.issue();
    await request(ca.http).get(`/certificate/${id.toUpperCase()}`).expect(200);
    await request(ca.http).get(`/certificate/${id}/`).expect(200);
  });

  test('answers HEAD without a body', async () => {
    const { id } = await ca.issue();
    const { text } = await request(ca.http).head(`/certificate/${id}`).expect(200);
    expect(text).toBeUndefined();
  });

  test.each([
    '00000000-0000-4000-8000-000000000000',
    '1',
    'x',
    '__proto__',
    '%20',
    '%00',
    '..%2froot',
    '%F0%9F%98%80',
    '%E0%A4%A',
    'a'.repeat(2_000),
  ])('returns 404 for a certificate %s', async (id) => {
    const response = await request(ca.http).get(`/certificate/${id}`).expect(404);
    expect(response.headers['content-type']).toBe(plainType);
    expect(response.text).toMatch(/\S/);
  });

  test.each(['/certificate', '/certificate/', '/certificate/?id=1'])(
    'rejects a missing identifier in %s',
    async (path) => {
      const response = await request(ca.http).get(path).expect(400);
      expect(response.headers['content-type']).toBe(plainType);
      expect(response.text).toMatch(/identifier is missing/);
    },
  );

  test('removes the oldest certificate at the limit', async () => {
    const small = await startCa({}, { storeLimits: { count: 2, octets: 1_000_000 } });
    const ids = [(await small.issue()).id, (await small.issue()).id, (await small.issue()).id];
    const statuses = [];
    for (const id of ids) statuses.push((await request(small.http).get(`/certificate/${id}`)).status);
    expect(statuses).toEqual([404, 200, 200]);
  });

  test('loses everything on a restart', async () => {
    const { id } = await ca.issue();
    const restarted = await startCa();
    await request(restarted.http).get(`/certificate/${id}`).expect(404);
  });
});
