import type { Fqdn, RequestReply } from '@certloop/contracts';
import { freePort } from '@certloop/contracts/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type KeyChangeMoment, keyChangeMoments } from '../../src/acme/account-key.service.js';
import { acmeAccounts } from '../../src/acme/acme-accounts.repository.js';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { changeAccountKey } from '../support/acme/account-key.js';
import { describeAgainstPebble } from '../support/acme/describe-pebble.js';
import { type Pebble, startPebble } from '../support/acme/pebble.js';
import { startApp, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { configure, enable, newCsr, providerOf } from '../support/signing.js';

describeAgainstPebble('changing the key of an account', (open) => {
  let app: TestApp;
  let pebble: Pebble;
  let providerId: string;
  let atOrder: ((moment: OrderMoment) => Promise<void>) | undefined;

  beforeAll(async () => {
    pebble = await startPebble({ httpPort: await freePort(), isLenient: true });
    app = await startApp(open, {
      environment: { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
      now: new Date(),
      orders: {
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50))),
        atMoment: async (moment) => atOrder?.(moment),
      },
    });
    const provider = await providerOf(app, 'acme');
    providerId = provider.id;
    await configure(app, provider, {
      directoryUrl: pebble.directoryUrl,
      caBundlePem: pebble.caPem,
      termsOfServiceAgreed: true,
      allowPrivateNetwork: true,
      challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
    }).expect(200);
    await enable(app, provider).expect(200);
  });
  afterAll(async () => {
    await app.close();
    await pebble.close();
  });
  beforeEach(async () => {
    app.clock.set(new Date());
    expect((await order()).success).toBe(true);
  });

  const changeKey = (atKeyChange?: (moment: KeyChangeMoment) => Promise<void>) =>
    changeAccountKey(app, providerId, atKeyChange);
  const account = async () => {
    const [row] = await app.database.read((tx) => tx.find(acmeAccounts));
    if (row === undefined) throw new Error('there is no account');
    return row;
  };
  const newFqdn = async (): Promise<Fqdn> => {
    const { id } = await addSpace(app);
    const fqdn = await addFqdn(app, id, 'www.shop.test');
    await addCsr(app, fqdn, await newCsr('www.shop.test'));
    return fqdn;
  };
  const order = async (of?: Fqdn): Promise<RequestReply> => {
    const path = pathOf(of ?? (await newFqdn()), 'request-certificate');
    return (await app.request.post(path).set(app.people.ada.auth).expect(200)).body as RequestReply;
  };
  const tested = async () => {
    const path = `/providers/${providerId}/test`;
    return (await app.request.post(path).set(app.people.ada.auth).expect(200)).body;
  };
  const known = {
    success: true,
    message: 'the directory is valid and hands out nonces; the account is known',
  };

  test.each(keyChangeMoments)('that stops at %s leaves a working account', async (deadly) => {
    const before = await account();
    const end = changeKey(async (moment) => {
      if (moment === deadly) throw new Error('the process ends here');
    });
    await expect(end).rejects.toThrow('the process ends here');
    expect((await account()).sealedNextKey).not.toBeNull();
    expect(await tested()).toEqual(known);
    expect(await order()).toMatchObject({ success: true });
    const after = await account();
    const isTaken = deadly !== 'next_key_stored';
    expect(after.url).toBe(before.url);
    expect(after.sealedKey !== before.sealedKey).toBe(isTaken);
    expect(after.sealedNextKey === null).toBe(isTaken);
    app.clock.advance(121_000);
    expect(await tested()).toEqual(known);
    expect((await account()).sealedNextKey).toBeNull();
    await changeKey();
    expect(await tested()).toEqual(known);
  });

  test('loses no key while another process uses the account', async () => {
    const before = await account();
    await changeKey(async (moment) => {
      if (moment === 'next_key_stored') expect(await tested()).toEqual(known);
    });
    const after = await account();
    expect(after).toMatchObject({ url: before.url, sealedNextKey: null });
    expect(after.sealedKey).not.toBe(before.sealedKey);
    expect(await order()).toMatchObject({ success: true });
  });

  test('by two processes at once happens once', async () => {
    const before = await account();
    let between: string | undefined;
    await changeKey(async (moment) => {
      if (moment !== 'next_key_stored' || between !== undefined) return;
      await changeKey();
      between = (await account()).sealedKey;
    });
    expect(between).not.toBe(before.sealedKey);
    expect(await account()).toMatchObject({ sealedKey: between, sealedNextKey: null });
    expect(await tested()).toEqual(known);
  });

  test('during an order postpones that order, and the next one uses the new key', async () => {
    atOrder = async (moment) => {
      if (moment !== 'order_stored') return;
      atOrder = undefined;
      await changeKey();
    };
    const { success, stepStatus } = await order();
    expect(success).toBe(false);
    // whether the CA asks for a proof again is its choice, so the step differs
    const failed = Object.values(stepStatus).find(({ status }) => status === 'failed');
    expect(failed?.error).toMatchObject({ code: 'account_key_changed', retryable: true });
    expect(await order()).toMatchObject({ success: true });
  });

  test('after the CSR was sent causes no second order', async () => {
    atOrder = async (moment) => {
      if (moment !== 'finalized') return;
      atOrder = undefined;
      await changeKey();
    };
    const fqdn = await newFqdn();
    const first = await order(fqdn);
    expect(first.success).toBe(false);
    const second = await order(fqdn);
    expect(second.success).toBe(true);
    expect(second.stepStatus.order).toMatchObject({ url: first.stepStatus.order['url'] });
  });

  test('offers the same key again after an interruption', async () => {
    const end = changeKey(async (moment) => {
      if (moment === 'next_key_stored') throw new Error('the process ends here');
    });
    await expect(end).rejects.toThrow('the process ends here');
    const { sealedKey, sealedNextKey: left } = await account();
    let offered: string | null = null;
    await changeKey(async (moment) => {
      if (moment === 'next_key_taken') offered = (await account()).sealedNextKey;
    });
    expect(offered).toBe(left);
    const after = await account();
    expect(after.sealedNextKey).toBeNull();
    expect(after.sealedKey).not.toBe(sealedKey);
    expect(await tested()).toEqual(known);
  });
});
