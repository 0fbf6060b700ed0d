import { dnsIdentifiers } from '@certloop/acme-server/testing';
import { describe, expect, test } from 'vitest';
import { acmePartsOf } from '../../src/acme-config.js';
import { loadConfig } from '../../src/config.js';
import { startAcme } from '../support/acme.js';

const partsOf = (environment: Readonly<Record<string, string>>) => acmePartsOf(loadConfig(environment));

const asPublicCas = ['no-cn', 'no-ski', 'no-key-encipherment', 'server-only'];

describe('the configuration of ACME', () => {
  test('has a default for every setting', () => {
    const { settings, validation, ...rest } = partsOf({});
    expect(settings).toMatchObject({
      profiles: [
        { name: 'classic', validitySeconds: 7_776_000, options: ['server-only'] },
        { name: 'tlsserver', validitySeconds: 3_888_000, options: asPublicCas },
        { name: 'shortlived', validitySeconds: 576_000, options: asPublicCas },
        { name: 'tlsclient', validitySeconds: 7_776_000, options: [] },
      ],
      termsOfService: undefined,
      externalAccounts: new Map(),
      requireExternalAccount: false,
      orderSeconds: 604_800,
      authorizationSeconds: 2_592_000,
      reuseAuthorizations: false,
      ordersPerPage: 50,
      retryAfterSeconds: 1,
      renewalInfoSeconds: 21_600,
    });
    expect(validation).toEqual({
      mode: 'real',
      http01Port: 80,
      tlsAlpn01Port: 443,
      dnsServer: undefined,
      resolveTo: undefined,
      allowPrivate: true,
      timeoutMs: 10_000,
      maxConnectMs: 3_000,
    });
    const faults = { faults: [], seed: 1 };
    expect(rest).toEqual({ maxRecords: 20_000, publicUrl: undefined, faults, admin: false });
  });

  test('reads where and how challenges are validated', () => {
    const { validation } = partsOf({
      DUMMY_CA_VALIDATION: 'always-invalid',
      DUMMY_CA_HTTP01_PORT: '5002',
      DUMMY_CA_TLSALPN01_PORT: '5001',
      DUMMY_CA_DNS: '127.0.0.1:8053',
      DUMMY_CA_RESOLVE_TO: '::1',
      DUMMY_CA_VALIDATE_PRIVATE: 'false',
      DUMMY_CA_VALIDATION_SECONDS: '3',
    });
    expect(validation).toEqual({
      mode: 'always-invalid',
      http01Port: 5002,
      tlsAlpn01Port: 5001,
      dnsServer: '127.0.0.1:8053',
      resolveTo: '::1',
      allowPrivate: false,
      timeoutMs: 3_000,
      maxConnectMs: 3_000,
    });
  });

  test('reads profiles and external accounts as words', () => {
    const key = Buffer.alloc(32, 7).toString('base64url');
    const { settings } = partsOf({
      DUMMY_CA_PROFILES: 'brief:10 long:100::no-cn+server-only past:60:-3600',
      DUMMY_CA_EAB: `one:${key} two:${key}`,
      DUMMY_CA_EAB_REQUIRED: 'true',
    });
    expect(settings.profiles).toEqual([
      { name: 'brief', validitySeconds: 10, options: [] },
      { name: 'long', validitySeconds: 100, options: ['no-cn', 'server-only'] },
      { name: 'past', validitySeconds: 60, notBeforeOffsetSeconds: -3600, options: [] },
    ]);
    expect([...settings.externalAccounts]).toEqual([
      ['one', Buffer.alloc(32, 7)],
      ['two', Buffer.alloc(32, 7)],
    ]);
    expect(settings.requireExternalAccount).toBe(true);
  });

  test.each([
    ['DUMMY_CA_PROFILES', 'brief'],
    ['DUMMY_CA_PROFILES', 'brief:0'],
    ['DUMMY_CA_PROFILES', 'brief:1 brief:2'],
    ['DUMMY_CA_PROFILES', 'brief:1:0:no-san'],
    ['DUMMY_CA_PROFILES', 'brief:1:0:no-cn+'],
    ['DUMMY_CA_PROFILES', 'brief:1:no-cn'],
    ['DUMMY_CA_EAB', `kid:${'A'.repeat(43)} kid:${'B'.repeat(43)}`],
    ['DUMMY_CA_EAB', 'kid:short'],
    ['DUMMY_CA_DNS', 'resolver.example.test:53'],
    ['DUMMY_CA_DNS', '999.1.1.1:53'],
    ['DUMMY_CA_DNS', '127.0.0.1:65536'],
    ['DUMMY_CA_DNS', '127.0.0.1:0'],
    ['DUMMY_CA_DNS', '[1::2::3]:53'],
    ['DUMMY_CA_RESOLVE_TO', 'localhost'],
    ['DUMMY_CA_RESOLVE_TO', '127.1'],
    ['DUMMY_CA_VALIDATION', 'maybe'],
    ['DUMMY_CA_HTTP01_PORT', '65536'],
    ['DUMMY_CA_REUSE_AUTHORIZATIONS', 'yes'],
    ['DUMMY_CA_FAULTS', '{'],
    ['DUMMY_CA_FAULTS', '[{"fault":"fire"}]'],
    ['DUMMY_CA_ADMIN', '1'],
    ['DUMMY_CA_ACME_KEEP', '99'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(`${name}: `);
  });

  test('requires at least the memory of the largest order', async () => {
    const maxRecords = partsOf({ DUMMY_CA_ACME_KEEP: '100' }).maxRecords;
    const acme = await startAcme({ maxRecords });
    const owner = await acme.client();
    const names = dnsIdentifiers(...Array.from({ length: 100 }, (_, number) => `n${number}.test`));
    const { body: order, headers } = await owner.order(names);
    expect(order).toMatchObject({ status: 'pending', authorizations: { length: 100 } });
    const replies = await Promise.all(order.authorizations.slice(0, 2).map((url) => owner.post(url)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await owner.post(headers.get('location') ?? '')).body).toMatchObject({ status: 'pending' });
    await acme.close();
  });

  test.each([['127.0.0.1:8053'], ['127.0.0.1'], ['[::1]:8053']])('takes the resolver %s', (text) => {
    expect(partsOf({ DUMMY_CA_DNS: text }).validation.dnsServer).toBe(text);
  });
});
