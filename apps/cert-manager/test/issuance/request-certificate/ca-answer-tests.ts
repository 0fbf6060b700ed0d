import { beforeEach, describe, expect, test } from 'vitest';
import { acmeAccounts, challengeTokens } from '../../../src/acme/acme-accounts.repository.js';
import type { ScriptedAcme } from '../../support/acme/scripted-acme.js';
import { addCsr, auditEntries } from '../../support/inventory.js';
import { fqdnWithCsr, newCsr } from '../../support/signing.js';
import type { RequestPlace } from './request-place.js';

/** Tests of what a request does with the answers of its CA. */
export function testCaAnswers(place: RequestPlace): void {
  test('waits as long as the CA says', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.script('order', {
      status: 200,
      headers: { 'retry-after': '42' },
      body: {
        status: 'processing',
        identifiers: [{ type: 'dns', value: fqdn.fqdn }],
        authorizations: [],
        finalize: `${new URL(place.ca.directoryUrl).origin}/finalize/1`,
      },
    });
    expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
    expect(place.pauses).toContain(42_000);
  });

  test('looks soon and then every second at an order whose CA names no moment', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.processing = 7;
    expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
    expect(place.pauses).toEqual([50, 100, 250, 500, 1000, 1000, 1000]);
  });

  test('waits as long as a CA says that is busy', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.script('authorization', { status: 503, headers: { 'retry-after': '43' } });
    expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
    expect(place.pauses).toContain(43_000);
  });

  test.each<[string, Parameters<ScriptedAcme['script']>, string, object]>([
    [
      'a rate limit',
      [
        'newOrder',
        { status: 429, problem: 'rateLimited', detail: 'slower', headers: { 'retry-after': '60' } },
      ],
      'order',
      {
        code: 'rateLimited',
        message: 'the CA refused: slower',
        retryable: true,
        retryAt: '2026-03-01T12:01:00.000Z',
        caProblemType: 'urn:ietf:params:acme:error:rateLimited',
      },
    ],
    [
      'a name that it does not certify',
      ['newOrder', { status: 400, problem: 'rejectedIdentifier', detail: 'not that one' }],
      'order',
      { code: 'rejectedIdentifier', retryable: false },
    ],
    [
      'the CSR',
      ['finalize', { status: 400, problem: 'badCSR', detail: 'ugly' }],
      'finalize',
      { code: 'badCSR', message: 'the CA refused: ugly', retryable: false },
    ],
    [
      'the account',
      ['newOrder', { status: 403, problem: 'userActionRequired', detail: 'read our terms' }],
      'order',
      { code: 'userActionRequired', retryable: false },
    ],
    ['everything', ['newOrder', { status: 503 }], 'order', { code: 'serverInternal', retryable: true }],
    [
      'by an invalid answer',
      ['newOrder', { status: 200, body: { status: 'odd' } }],
      'order',
      { code: 'upstream_failed', retryable: true },
    ],
  ])('reports at which step the CA refused %s', async (_, script, step, error) => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.script(...script);
    const { body } = await place.request(fqdn).expect(200);
    expect(body).toMatchObject({ success: false, stepStatus: { [step]: { status: 'failed', error } } });
    expect(body.certificate).toBeUndefined();
    expect(await place.certificatesOf(fqdn)).toEqual([]);
    expect((await auditEntries(place.app, 'certificate.fail')).at(-1)).toMatchObject({
      outcome: 'failure',
      details: { fqdn: fqdn.fqdn, reason: body.message },
    });
    expect(await place.app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
  });

  test('reports which names were proven and which were not', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn, 'away.example.org'));
    const names = [fqdn.fqdn, 'away.example.org'];
    const { origin } = new URL(place.ca.directoryUrl);
    const authorizations = (...statuses: string[]) =>
      names.map((value, index) => {
        const status = statuses[index];
        const challenge = { type: 'http-01', url: `${origin}/challenge/1.${index}`, status };
        const challenges = [{ ...challenge, token: `token-of-challenge-${index}` }];
        return { status: 200, body: { identifier: { type: 'dns', value }, status, challenges } };
      });
    place.ca.script(
      'authorization',
      ...authorizations('pending', 'pending'),
      ...authorizations('valid', 'invalid'),
    );
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    const places = names.map((_, index) => `${origin}/authorization/1.${index}`);
    const order = { identifiers, authorizations: places, finalize: `${origin}/finalize/1` };
    place.ca.script('order', { status: 200, body: { status: 'invalid', ...order } });
    const { body } = await place.request(fqdn).expect(200);
    expect(body).toMatchObject({
      success: false,
      stepStatus: {
        challenges: {
          status: 'failed',
          items: { [fqdn.fqdn]: { status: 'ok' }, 'away.example.org': { status: 'failed' } },
        },
      },
    });
  });

  test('repeats a request whose nonce was rejected, a limited number of times', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const refused = { status: 400, problem: 'badNonce' };
    place.ca.script('newOrder', refused, refused, refused);
    expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
    place.ca.script('newOrder', ...Array.from({ length: 10 }, () => refused));
    const { body } = await place.request(fqdn, { confirmed: true }).expect(200);
    expect(body).toMatchObject({ stepStatus: { order: { error: { code: 'badNonce', retryable: true } } } });
  });

  test('registers again with a CA that has forgotten the account', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    place.ca.script('newOrder', { status: 400, problem: 'accountDoesNotExist' });
    expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
    expect(place.ca.asks.filter((ask) => ask === 'newAccount')).toHaveLength(1);
    expect(place.ca.orders).toHaveLength(1);
  });

  describe('when the CA answers an order with 500', () => {
    const fault = { status: 500, problem: 'serverInternal' };
    const accountUrl = async () => {
      const [account] = await place.app.database.read((tx) => tx.find(acmeAccounts));
      return account?.url;
    };
    beforeEach(async () => {
      const { fqdn } = await fqdnWithCsr(place.app);
      await place.request(fqdn).expect(200);
      place.ca.script('newOrder', fault);
    });

    test('registers again if it has no account for the key', async () => {
      const lost = await accountUrl();
      place.ca.script('newAccount', { status: 400, problem: 'accountDoesNotExist' });
      const { fqdn } = await fqdnWithCsr(place.app);
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(await accountUrl()).not.toBe(lost);
    });

    test.each([
      ['it has the account', undefined],
      ['it does not answer whether it has the account', fault],
      ['it does not say which account it has', { status: 200, body: { status: 'valid' } }],
    ])('does not register again if %s', async (_, answer) => {
      const known = await accountUrl();
      place.ca.script('newAccount', answer);
      const { fqdn } = await fqdnWithCsr(place.app);
      const { body } = await place.request(fqdn).expect(200);
      expect(body).toMatchObject({ success: false, stepStatus: { order: { status: 'failed' } } });
      expect((await place.request(fqdn).expect(200)).body.success).toBe(true);
      expect(await accountUrl()).toBe(known);
    });
  });

  test.each([
    ['was replaced already', { status: 409, problem: 'alreadyReplaced' }],
    ['is not known', { status: 404, problem: 'malformed' }],
    ["is another account's", { status: 403, problem: 'unauthorized' }],
    ['is not found, which the CA reports as an internal error', { status: 500, problem: 'serverInternal' }],
  ])('names the certificate that it replaces, and omits it when that %s', async (_, refusal) => {
    const { fqdn } = await fqdnWithCsr(place.app);
    await place.request(fqdn).expect(200);
    place.ca.script('newOrder', refusal);
    expect((await place.request(fqdn, { confirmed: true }).expect(200)).body.success).toBe(true);
    expect(place.ca.orders.map(({ replaces }) => replaces)).toEqual([undefined, undefined]);
    await place.request(fqdn, { confirmed: true }).expect(200);
    expect(place.ca.orders.at(-1)?.['replaces']).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  test('requests the configured profile if the CA has it', async () => {
    await place.configureAcme({ profile: 'short' });
    const { fqdn } = await fqdnWithCsr(place.app);
    await place.request(fqdn).expect(200);
    expect(place.ca.orders[0]).toMatchObject({ profile: 'short' });
    await place.configureAcme({ profile: 'long' });
    const { body } = await place.request(fqdn, { confirmed: true }).expect(200);
    expect(body).toMatchObject({
      message: 'the CA has no profile long; it offers short',
      stepStatus: { preflight: { status: 'failed', error: { code: 'unknown_profile' } } },
    });
    await place.configureAcme({});
  });
}
