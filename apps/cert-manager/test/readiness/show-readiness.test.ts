import type { Fqdn, PublicReadiness } from '@certloop/contracts';
import { updateRows } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import type { TestApp } from '../support/app.js';
import { type ForeignRequest, foreignCertificate } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, pathOf, unknownId } from '../support/inventory.js';
import type { Person } from '../support/people.js';
import {
  issuedFqdn,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { createProvider, fqdnWithCsr } from '../support/signing.js';

const day = 86_400_000;

describeEachDialect('readiness', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  let spaceId: string;
  let own: Fqdn;
  const fqdns: Record<string, Fqdn> = {};

  /** Adds an FQDN with a certificate of a CA elsewhere that lasts for so many days from now. */
  const importFor = async (
    fqdn: string,
    days: number,
    { source, at, ...request }: Partial<ForeignRequest> & { source?: string; at?: Fqdn } = {},
  ) => {
    const found = at ?? (await addFqdn(app, spaceId, fqdn));
    const notBefore = new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000);
    const notAfter = new Date(notBefore.getTime() + days * day - 1000);
    const { leafPem: pem } = await foreignCertificate({
      dnsNames: [fqdn],
      notBefore,
      notAfter,
      extendedKeyUsage: ['serverAuth'],
      isPublic: true,
      ...request,
    });
    const path = pathOf(found, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send({ pem, source }).expect(201);
    fqdns[fqdn] = found;
  };

  beforeAll(async () => {
    place = await startRenewing(open);
    app = place.app;
    own = await renewedFqdn(place, 'own.certloop.dev');
    const off = await issuedFqdn(place, 'off.certloop.dev');
    spaceId = off.spaceId;
    await importFor('long.certloop.dev', 200);
    await importFor('mtls.certloop.dev', 40, {
      organization: 'DigiCert Inc',
      extendedKeyUsage: ['serverAuth', 'clientAuth'],
    });
    await importFor('printer', 90);
    await importFor('private.certloop.dev', 365, { isPublic: false });
    await importFor('served.certloop.dev', 90, { organization: "Let's Encrypt", source: 'certbot' });
    await grant(app, app.people.ben, 'READ', [own.spaceId]);
  });
  afterAll(() => place.close());

  const readiness = async (query = '', person: Person = app.people.ada) => {
    const { body } = await app.request.get(`/readiness${query}`).set(person.auth).expect(200);
    return body as PublicReadiness;
  };
  const broken = ({ breaks }: PublicReadiness) =>
    Object.fromEntries(
      breaks.map(({ code, rule, names }) => [`${code} ${rule}`, names.map(({ fqdn }) => fqdn)]),
    );

  test('names what breaks on a day, with the rules that hold then', async () => {
    const found = await readiness('?on=2029-03-15');
    expect(found).toMatchObject({
      on: '2029-03-15',
      certificates: { total: 7, public: 4 },
      renewedElsewhere: 1,
      capacity: { names: 1 },
      computedAt: app.clock.now().toISOString(),
    });
    expect(broken(found)).toEqual({
      'lifetime_too_long public_47_days': expect.arrayContaining(['long.certloop.dev', 'printer']),
      'lifetime_too_long lets_encrypt_classic_45_days': ['served.certloop.dev'],
      'lead_time_too_long public_47_days': ['long.certloop.dev'],
      'client_auth digicert_no_client_auth': ['mtls.certloop.dev'],
      'name_not_certified internal_names': ['printer'],
    });
    const [first] = found.breaks;
    expect(first).toMatchObject({ code: 'lifetime_too_long', rule: 'public_47_days', count: 2 });
    expect(first?.action).toContain('47 days');
    expect(first?.names).toContainEqual({
      fqdnId: fqdns['long.certloop.dev']?.id,
      spaceId,
      fqdn: 'long.certloop.dev',
    });
    expect(found.rules.map(({ code }) => code)).toContain('caa_parameters_bind');
    expect(found.rules.find(({ code }) => code === 'public_47_days')).toMatchObject({
      from: '2029-03-15',
      judged: true,
    });
    expect(found.rules.find(({ code }) => code === 'caa_parameters_bind')?.judged).toBe(false);
    // the clock of the test is at the beginning of March 2026
    expect(found.dates.slice(0, 3)).toEqual(['2026-03-15', '2026-04-13', '2026-05-13']);
  });

  test('counts the renewals that need a person', async () => {
    const { handwork } = await readiness('?on=2027-03-15');
    expect(handwork.names).toBe(5);
    const counts = handwork.reasons.map(({ code, count, names }) => [code, count, names.length]);
    expect(counts).toEqual([
      ['no_csr', 4, 4],
      ['renewal_off', 1, 1],
    ]);
    expect(handwork.hoursPerMonth).toBeGreaterThan(handwork.hoursPerMonthToday);
  });

  test('shows the rules of today if no day is named', async () => {
    const found = await readiness();
    expect(found.on).toBe(app.clock.now().toISOString().slice(0, 10));
    expect(broken(found)).toEqual({ 'name_not_certified internal_names': ['printer'] });
    expect(found.rules.map(({ code }) => code)).not.toContain('public_200_days');
  });

  test('shows only names that the caller may read', async () => {
    const { ben, cleo } = app.people;
    expect(await readiness('?on=2029-03-15', ben)).toMatchObject({
      certificates: { total: 1, public: 0 },
      breaks: [],
      handwork: { names: 0, reasons: [] },
    });
    expect(await readiness(`?on=2029-03-15&spaceId=${spaceId}`, ben)).toMatchObject({
      certificates: { total: 0 },
    });
    expect(await readiness('?on=2029-03-15', cleo)).toMatchObject({ certificates: { total: 0 }, breaks: [] });
    expect(await readiness(`?spaceId=${own.spaceId}`)).toMatchObject({ certificates: { total: 1 } });
    expect(await readiness(`?spaceId=${unknownId}`)).toMatchObject({ certificates: { total: 0 } });
    await app.request.get('/readiness').expect(401);
  });

  test.each([
    ['on', 'on=2026-02-28', 'must be from 2026-03-01 to 2036-03-01; leave it out for today'],
    ['on', 'on=2036-03-02', 'must be from 2026-03-01 to 2036-03-01; leave it out for today'],
    ['on', 'on=tomorrow', 'must be a day, as in 2027-06-01'],
    ['on', 'on=2027-02-30', 'must be a day, as in 2027-06-01'],
    ['spaceId', 'spaceId=x', 'must be a uuid'],
  ])('refuses a wrong %s: %s', async (name, query, message) => {
    const { body } = await app.request.get(`/readiness?${query}`).set(app.people.ada.auth).expect(400);
    expect(body).toMatchObject({ errors: [{ path: `query.${name}`, message }] });
    await readiness('?on=2036-03-01');
  });

  test('knows profile and advice of the CA that is asked next', async () => {
    const config = {
      directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      termsOfServiceAgreed: true,
    };
    const { id: providerId } = await createProvider(app, { name: 'public', kind: 'acme', config });
    const { fqdn } = await fqdnWithCsr(app, 'next.certloop.dev');
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await app.request.put(path).set(app.people.ada.auth).send({ providerId }).expect(200);
    await importFor(fqdn.fqdn, 90, { at: fqdn });
    await switchRenewal(app, fqdn, true);
    const setAdvice = (advice: object) =>
      app.database.transaction((tx) => updateRows(tx, renewalQueue, { fqdnId: fqdn.id }, advice));
    const found = async (on: string) => broken(await readiness(`?on=${on}&spaceId=${fqdn.spaceId}`));
    const later = new Date(app.clock.now().getTime() + day);
    const names = ['next.certloop.dev'];

    await setAdvice({ adviceDueAt: app.clock.now(), windowStart: null, windowEnd: null });
    expect(await found('2027-02-10')).toEqual({
      'lifetime_too_long lets_encrypt_classic_64_days': names,
      'no_profile lets_encrypt_classic_64_days': names,
    });
    await setAdvice({ adviceDueAt: later });
    expect(await found('2027-02-11')).toMatchObject({ 'no_renewal_information public_200_days': names });
    await setAdvice({ windowStart: later, windowEnd: later });
    expect(Object.keys(await found('2027-02-12'))).toHaveLength(2);
  });

  test('is good for a minute, for each day and each set of spaces', async () => {
    const off = await issuedFqdn(place, 'later.certloop.dev');
    const total = async () => (await readiness('?on=2030-01-01')).certificates.total;
    const before = await total();
    await switchRenewal(app, off, true);
    const another = await issuedFqdn(place, 'another.certloop.dev');
    expect(another.spaceId).not.toBe(off.spaceId);
    expect(await total()).toBe(before);
    expect((await readiness('?on=2030-01-02')).certificates.total).toBe(before + 1);
    app.clock.advance(60_000);
    expect(await total()).toBe(before + 1);
  });
});
