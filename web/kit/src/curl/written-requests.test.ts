import { certManagerContract, createClient } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { describeClient } from '../operations/operations.js';
import { captureRequest } from './written-requests.js';

const serviceUrl = 'https://certs.example.org';
const never = () => Promise.reject(new Error('It was sent.'));

const api = describeClient(
  createClient(certManagerContract, { baseUrl: serviceUrl, fetch: never }),
  certManagerContract,
  {
    serviceUrl,
    basePath: '',
    programsCallBy: (path) => (path === '/spaces' ? 'token' : 'cookies'),
    dependencies: {},
  },
);

test('captures the first request of a call, and sends none', async () => {
  const twoCalls = async (to: typeof api) => {
    await to.createSpace({ body: { name: 'Shop' } });
    await to.listSpaces();
  };
  expect(await captureRequest(api, twoCalls)).toEqual({
    method: 'POST',
    url: `${serviceUrl}/spaces`,
    body: '{"name":"Shop"}',
    by: 'token',
  });
});

test('names the parts of a form', async () => {
  const file = { name: 'my.csr', contentType: 'application/pkcs10', bytes: new Uint8Array([1]) };
  const params = { spaceId: 's1', fqdnId: 'f1' };
  const request = await captureRequest(api, (to) =>
    to.uploadCsr({ params, body: { file, fields: { spaceId: 's1', fqdn: 'a.example.org' } } }),
  );
  expect(request).toMatchObject({ url: `${serviceUrl}/spaces/s1/fqdns/f1/csr`, by: 'cookies' });
  expect(request.body).toContainEqual({ name: 'csr', value: 'my.csr', isFile: true });
});

test('rejects with what a call throws before its request', async () => {
  const refused = captureRequest(api, (to) => to.getSpace({ params: { id: '..' } }));
  await expect(refused).rejects.toThrow('id cannot be');
  await expect(captureRequest(api, async () => undefined)).rejects.toThrow('sends no request');
});
