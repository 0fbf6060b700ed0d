import { type AcmeClient, type Answer, dnsIdentifiers } from '@certloop/acme-server/testing';
import { stretchExcess } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { p256 } from '../support/csrs.js';

const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n));

describe('the largest requests that an ACME account may send', () => {
  let acme: TestAcme;
  let client: AcmeClient;
  beforeAll(async () => {
    acme = await startAcme();
    client = await acme.client();
  });
  afterAll(() => acme.close());

  test.each<[string, () => Promise<Answer>]>([
    [
      'an order of 100 names',
      () => client.order(dnsIdentifiers(...many(100, (n) => `${n}${'.a'.repeat(100)}.test`))),
    ],
    [
      'an order of 100 names in Punycode',
      () => client.order(dnsIdentifiers(...many(100, (n) => `${n}${'.xn--4ca'.repeat(30)}`))),
    ],
    ['an order of too many names', () => client.order(dnsIdentifiers(...many(4000, (n) => `${n}.a`)))],
    [
      'an account with very many contacts',
      () => client.register({ contact: many(3000, (n) => `mailto:${n}@a.test`) }),
    ],
    ['an account with a long contact', () => client.register({ contact: [`mailto:${'a'.repeat(50_000)}`] })],
    ['a payload of one long text', () => client.order([{ type: 'dns', value: 'a.'.repeat(25_000) }])],
  ])('%s: below 50 ms between turns', async (_situation, call) => {
    // this process is also the client
    const prepare = () => client.register();
    const work = async () => expect((await call()).status).toBeLessThan(500);
    expect(await stretchExcess(50, work, prepare)).toBeUndefined();
    await client.register();
  });

  test('a CSR of 1,600 names for an order of 100: below 50 ms between turns', async () => {
    const names = many(100, (n) => `${n}.example.test`);
    const { body: order } = await client.order(dnsIdentifiers(...names));
    const asked = [...names, ...many(1500, (n) => `${n}.other.test`)];
    const claimed = { ...order, identifiers: [...dnsIdentifiers(...asked)] };
    const leafKey = p256().privateKey;
    const finalize = async () =>
      expect((await client.finalize(claimed, leafKey)).status).toBeGreaterThanOrEqual(400);
    expect(await stretchExcess(50, finalize)).toBeUndefined();
  });
});
