import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authorization } from '@certloop/acme-server/rules';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStateFile, type State } from '../../src/authority/state.store.js';
import { startAcme, type TestAcme } from '../support/acme.js';
import { type Http01Responder, startHttp01Responder } from '../support/http01-responder.js';

let folder: string;
let state: State;
let responder: Http01Responder;
let acme: TestAcme;
let client: AcmeClient;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dummy-ca-work-'));
  state = openStateFile(join(folder, 'state.sqlite'));
  responder = await startHttp01Responder();
  const validation = { mode: 'real', http01Port: responder.port, resolveTo: '127.0.0.1' } as const;
  acme = await startAcme({ state, validation });
  client = await acme.client();
});
afterEach(async () => {
  await acme.close();
  await responder.close();
  state.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the work while other requests are answered, each of which writes the state first. */
async function besideOthers<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const others = Array.from({ length: 4 }, async () => {
    while (!isOver) await client.nonce();
  });
  try {
    return await work();
  } finally {
    isOver = true;
    await Promise.all(others);
  }
}

const storedAuthorizations = () =>
  state.load('authorization').map(([, record]) => record as Pick<Authorization, 'challenges'>);

/** Addresses of the http-01 challenges of so many orders, which the responder answers. */
function placeOrders(count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const { body: order } = await client.order(dnsIdentifiers(`n${number}.test`));
      const [challenge] = await client.challengesOf(order, 'http-01');
      const { token = '', url = '' } = challenge ?? {};
      const path = `/.well-known/acme-challenge/${token}`;
      responder.answers.set(path, client.keyAuthorization(token));
      return url;
    }),
  );
}

test('stores the outcome of each validation before it is shown, whatever is answered beside', async () => {
  const urls = await placeOrders(8);
  const shown = await besideOthers(() => Promise.all(urls.map((url) => client.decide(url))));
  expect(shown.map(({ status }) => status)).toEqual(urls.map(() => 'valid'));
  const decided = storedAuthorizations().map(({ challenges }) =>
    challenges.some(({ endedAt }) => endedAt !== undefined),
  );
  expect(decided).toEqual(urls.map(() => true));
});
