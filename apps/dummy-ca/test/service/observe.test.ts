import request from 'supertest';
import { expect, test } from 'vitest';
import { startCa } from '../support/app.js';
import { csrField } from '../support/csrs.js';

const metricsToken = 'a-token-of-sixteen-letters';

test('requests are counted by the template of their path, signing among them', async () => {
  const { http } = await startCa({}, { metricsAccess: { metricsToken, metricsOpen: false } });
  await request(http).post('/csr').send({ csr: csrField(), action: 'sign' }).expect(200);
  await request(http).get('/csr').expect(405);
  await request(http).get('/certificate/7').expect(404);
  await request(http).get('/metrics').expect(401);
  const { text } = await request(http)
    .get('/metrics')
    .set('Authorization', `Bearer ${metricsToken}`)
    .expect(200);
  const count = 'http_request_duration_seconds_count';
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      `${count}{method="POST",route="/csr",status="200"} 1`,
      `${count}{method="GET",route="/csr",status="405"} 1`,
      `${count}{method="GET",route="/certificate/{id}",status="404"} 1`,
      `${count}{method="GET",route="/metrics",status="401"} 1`,
    ]),
  );
});

test('metrics are off by default', async () => {
  const { http } = await startCa();
  await request(http).get('/metrics').expect(404);
});

test('the API is described, and shown on a page', async () => {
  const { http } = await startCa();
  const { body } = await request(http).get('/openapi.json').expect(200);
  expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/csr', '/root']));
  const { text } = await request(http).get('/docs/').expect(200);
  expect(text).toContain('<title>Dummy certificate authority</title>');
});
