import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { beforeAll, describe, expect, test } from 'vitest';
import { startCa, type TestCa } from '../support/app.js';
import { base64, csrDer, csrField, pemOf } from '../support/csrs.js';
import { serve } from '../support/served.js';

let ca: TestCa;
beforeAll(async () => {
  ca = await startCa();
});

const jsonType = 'application/json; charset=utf-8';
const plainType = 'text/plain; charset=utf-8';

/** The sentence of a refusal, whose form is asserted. */
function sentenceOf(response: request.Response): string {
  expect(response.headers['content-type']).toBe(jsonType);
  expect(Object.keys(response.body)).toEqual(['error']);
  expect(response.body.error).toMatch(/\S/);
  return response.body.error;
}

describe('POST /csr refuses a member', () => {
  const pem = pemOf(csrDer());
  test.each<[string, object, RegExp]>([
    ['csr missing', { csr: undefined }, /csr: is required/],
    ['csr null', { csr: null }, /csr: /],
    ['csr empty', { csr: '' }, /csr: /],
    ['csr a number', { csr: 7 }, /csr: /],
    ['csr a list', { csr: [csrField()] }, /csr: /],
    ['csr an object', { csr: { pem } }, /csr: /],
    ['a csr that is not Base64', { csr: '!!! not base64 !!!' }, /csr is not Base64/],
    ['csr as bare PEM', { csr: pem }, /csr is not Base64/],
    [
      'csr in the alphabet of URLs',
      { csr: base64('\xfb\xff\xbf').replace(/[+/]/g, '-') },
      /csr is not Base64/,
    ],
    ['a csr whose Base64 does not contain PEM', { csr: base64('hello') }, /PEM/],
    ['csr the Base64 of DER', { csr: base64(csrDer()) }, /PEM/],
    ['csr with another label', { csr: base64(pemOf(csrDer(), 'CERTIFICATE')) }, /CERTIFICATE/],
    ['csr with an unknown label', { csr: base64(pemOf(csrDer(), 'HELLO')) }, /HELLO/],
    ['csr two blocks', { csr: base64(pem + pem) }, /2 PEM blocks/],
    ['csr that does not end', { csr: base64(pem.slice(0, -30)) }, /PEM/],
    [
      'csr with octets after the DER',
      { csr: base64(pemOf(Buffer.concat([csrDer(), Buffer.of(0)]))) },
      /follow/,
    ],
    ['csr with half of the DER', { csr: base64(pemOf(csrDer().subarray(0, 100))) }, /CSR/],
    ['csr an empty block', { csr: base64(pemOf(Buffer.alloc(0))) }, /PEM/],
    ['csr a private key', { csr: base64(pemOf(Buffer.alloc(9), 'PRIVATE KEY')) }, /private key/],
    ['action missing', { action: undefined }, /action: /],
    ['action null', { action: null }, /action: /],
    ['action another word', { action: 'revoke' }, /action: /],
    ['action in capitals', { action: 'SIGN' }, /action: /],
    ['action with a blank', { action: 'sign ' }, /action: /],
    ['action a list', { action: ['sign'] }, /action: /],
    ['validity_days zero', { validity_days: 0 }, /validity_days: /],
    ['validity_days negative', { validity_days: -1 }, /validity_days: /],
    ['validity_days above the bound', { validity_days: 36_501 }, /validity_days: /],
    ['validity_days beyond integers', { validity_days: 1e300 }, /validity_days: /],
    ['validity_days with a fraction', { validity_days: 1.5 }, /validity_days: /],
    ['validity_days as text', { validity_days: '365' }, /validity_days: /],
    ['validity_days null', { validity_days: null }, /validity_days: /],
    ['validity_days true', { validity_days: true }, /validity_days: /],
    ['validity_days a list', { validity_days: [365] }, /validity_days: /],
  ])('%s', async (_, members, sentence) => {
    const response = await ca.sign(members).expect(400);
    expect(sentenceOf(response)).toMatch(sentence);
  });

  test('and names every wrong one at once', async () => {
    const response = await ca.sign({ csr: 1, action: 2, validity_days: 3.5 }).expect(400);
    const sentence = sentenceOf(response);
    for (const name of ['csr: ', 'action: ', 'validity_days: ']) expect(sentence).toContain(name);
  });
});

describe('POST /csr refuses a body', () => {
  const post = (body: string | Buffer, type = 'application/json') =>
    request(ca.http).post('/csr').set('Content-Type', type).serialize(String).send(body);
  const valid = () => JSON.stringify({ csr: csrField(), action: 'sign' });

  test.each([
    ['that is not JSON', '{"csr": '],
    ['that is text', 'hello'],
    ['that is a list', '[]'],
    ['that is null', 'null'],
    ['that is a number', '1'],
    ['that is a string', '"sign"'],
    ['with something after the JSON', '{} {}'],
    ['that nests deep', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['without members', '{}'],
  ])('%s', async (_, body) => {
    sentenceOf(await post(body).expect(400));
  });

  test('that is missing', async () => {
    sentenceOf(await request(ca.http).post('/csr').expect(400));
  });

  test('that is not UTF-8', async () => {
    const octets = Buffer.from(valid().replace('sign"', 'sign","x":"\xff"'), 'latin1');
    const response = await request(ca.http)
      .post('/csr')
      .type('json')
      .serialize((x) => x)
      .send(octets);
    expect(response.status).toBe(400);
    expect(sentenceOf(response)).toMatch(/UTF-8/);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x'])(
    'of type %s',
    async (type) => {
      expect(sentenceOf(await post(valid(), type).expect(400))).toMatch(/Content-Type/);
    },
  );

  test('in an encoding that no one knows', async () => {
    const response = await post(valid()).set('Content-Encoding', 'rot13').expect(400);
    expect(sentenceOf(response)).toMatch(/encoding/);
  });

  test('that is compressed', async () => {
    const octets = gzipSync(valid());
    const response = await request(ca.http)
      .post('/csr')
      .type('json')
      .set('Content-Encoding', 'gzip')
      .serialize((x) => x)
      .send(octets);
    expect(response.status).toBe(400);
    expect(sentenceOf(response)).toMatch(/encoding gzip/);
  });

  test('above 64 KiB, and takes one of exactly 64 KiB', async () => {
    const padded = (octets: number) => {
      const body = { csr: csrField(), action: 'sign', pad: '' };
      return JSON.stringify({ ...body, pad: 'x'.repeat(octets - JSON.stringify(body).length) });
    };
    await post(padded(65_536)).expect(200);
    expect(sentenceOf(await post(padded(65_537)).expect(413))).toMatch(/larger/);
    sentenceOf(await post(padded(3_000_000)).expect(413));
  });

  test('above 64 KiB that comes without a length', async () => {
    const served = await serve(ca.http);
    const body = new ReadableStream({
      start: (controller) => {
        for (let chunk = 0; chunk < 20; chunk += 1) controller.enqueue(Buffer.alloc(10_000, ' '));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as const;
    const response = await fetch(`${served.url}/csr`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/larger/) });
    await served.close();
  });
});

describe('POST /csr takes', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.example+json',
  ])('a body of type %s', async (type) => {
    const body = JSON.stringify({ csr: csrField(), action: 'sign' });
    await request(ca.http).post('/csr').set('Content-Type', type).serialize(String).send(body).expect(200);
  });

  test('members that it does not know', async () => {
    await ca.sign({ colour: 'x', validity_weeks: 'y', __proto__: null }).expect(200);
  });
});

describe('a wrong method', () => {
  // CONNECT asks for a tunnel and never reaches a path; HEAD has no body to look at and is tried below.
  const others = METHODS.filter((method) => !['CONNECT', 'HEAD', 'POST'].includes(method));

  test.each(others)('%s /csr is refused in JSON', async (method) => {
    const response = await send(method, '/csr');
    expect(response.status).toBe(405);
    expect(response.headers['allow']).toBe('POST');
    expect(sentenceOf(response)).toContain(method);
  });

  test('HEAD /csr is refused without a body', async () => {
    const response = await request(ca.http).head('/csr').expect(405);
    expect(response.headers['allow']).toBe('POST');
  });

  test.each(['/csr/', '/csr?x=1', '/csr/?x=1'])('GET %s is refused in JSON', async (path) => {
    sentenceOf(await request(ca.http).get(path).expect(405));
  });

  test.each(['/health', '/root', '/certificate', '/certificate/', '/certificate/1'])(
    'on %s is refused in plain text',
    async (path) => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
        const response = await send(method, path);
        expect(response.status).toBe(405);
        expect(response.headers['allow']).toBe('GET, HEAD');
        expect(response.headers['content-type']).toBe(plainType);
        expect(response.text).toBe(`${method} is not allowed here`);
      }
    },
  );

  function send(method: string, path: string): request.Test {
    return new request.Test(ca.http, method, path);
  }
});

describe('an unknown path', () => {
  test.each([
    '/',
    '/csr/1',
    '/CSR',
    '//csr',
    '/csr%2f',
    '/certificates',
    '/certificate/1/2',
    '/%',
    '/root/x',
  ])('%s is 404 in plain text', async (path) => {
    const response = await request(ca.http).get(path).expect(404);
    expect(response.headers['content-type']).toBe(plainType);
    expect(response.text).toMatch(/\S/);
  });
});
