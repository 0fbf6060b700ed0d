import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Listening, listen } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHttpsCertificate } from '../../src/acme/issuance/https-certificate.service.js';
import { startAcme, type TestAcme } from '../support/acme.js';

let acme: TestAcme;
let secure: Listening;
beforeAll(async () => {
  acme = await startAcme();
  const tls = await makeHttpsCertificate(acme.authority, ['localhost', '127.0.0.1', '::1'], acme.clock);
  const [handler] = acme.server.listeners('request');
  secure = await listen(handler as Parameters<typeof listen>[0], { host: '127.0.0.1', port: 0, tls });
});
afterAll(async () => {
  await secure.close();
  await acme.close();
});

function ask(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { ca: acme.authority.rootPem, agent: false }, resolve).once('error', reject);
  });
}

describe('ACME over https', () => {
  test.each([['127.0.0.1'], ['localhost']])(
    'is trusted with the root, and returns https links: %s',
    async (host) => {
      const base = `https://${host}:${new URL(secure.url).port}`;
      const directory: unknown = JSON.parse(await text(await ask(`${base}/acme/directory`)));
      expect(directory).toMatchObject({ newOrder: `${base}/acme/new-order` });
    },
  );
});
