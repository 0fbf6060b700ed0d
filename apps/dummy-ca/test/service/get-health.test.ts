import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { startCa } from '../support/app.js';

describe('GET /health', () => {
  test('says that the service works', async () => {
    const ca = await startCa();
    const response = await request(ca.http).get('/health').expect(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.body).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });
});
