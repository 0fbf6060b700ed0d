import type { AllowedNames, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import type { Test } from 'supertest';
import { afterAll, beforeAll } from 'vitest';
import { type ScriptedAcme, startScriptedAcme } from '../../support/acme/scripted-acme.js';
import type { SuiteApp } from '../../support/app.js';
import { foreignPem } from '../../support/cas/foreign-ca.js';
import { grant } from '../../support/factories.js';
import { addCsr, addFqdn, addSpace, csrUpload, pathOf } from '../../support/inventory.js';
import { type HookReceiver, startHookReceiver } from '../../support/monitor/notice-receivers.js';
import { type Person, settlePerson } from '../../support/people.js';
import { type RenewalPlace, signWith, startRenewing } from '../../support/renewals.js';
import { configure, newCsr, providerOf } from '../../support/signing.js';

/** A domain of a test's own, the space that holds a name in it, and another space. */
export interface Domain {
  /** Such as `shop7.test`. */
  readonly domain: string;
  /** The space of the administrator that holds `www.` below the domain, and its FQDN. */
  readonly held: Fqdn;
  /** Another space, where the writer has READ_WRITE. */
  readonly other: string;
  readonly writer: Person;
}

/** What a test of names that spaces hold finds in place. */
export interface HoldersPlace {
  readonly renewing: RenewalPlace;
  readonly app: SuiteApp;
  readonly acme: ScriptedAcme;
  readonly hook: HookReceiver;
  /** A new domain whose `www` was issued a certificate, or the name given below it. */
  newDomain(label?: string): Promise<Domain>;
  /** Uploads a CSR for the FQDN, with these names. */
  upload(fqdn: Fqdn, person: Person, ...names: string[]): Promise<Test>;
  sign(fqdn: Fqdn, person: Person, providerId?: string): Test;
  request(fqdn: Fqdn, person: Person): Test;
  importTo(fqdn: Fqdn, person: Person): Promise<Test>;
  /** Issues a certificate as the administrator. */
  issue(spaceId: string, hostname: string): Promise<Fqdn>;
  allow(spaceId: string, allowedNames: Partial<AllowedNames> | null, more?: object): Promise<unknown>;
}

/** Keys of every process. */
export const keys = `one:${Buffer.alloc(32, 7).toString('base64')}`;

/** Describes names that spaces hold, on each database. */
export function describeHolders(name: string, suite: (place: HoldersPlace) => void): void {
  describeEachDialect(name, (open) => {
    const place = {} as HoldersPlace;
    let count = 0;
    beforeAll(async () => {
      const hook = await startHookReceiver();
      const acme = await startScriptedAcme(() => place.app.clock);
      const environment = {
        NOTICE_WEBHOOK_URL: hook.url,
        NOTICE_WEBHOOK_SECRET: hook.secret,
        ENCRYPTION_KEYS: keys,
        ACME_DIRECTORY_URL: acme.directoryUrl,
      };
      const renewing = await startRenewing(open, { environment });
      Object.assign(place, { renewing, app: renewing.app, acme, hook }, requestsOf(renewing));
      const challenge = { type: 'http-01', http01: { selfCheck: 'off' } };
      const config = { directoryUrl: acme.directoryUrl, termsOfServiceAgreed: true, challenge };
      await configure(place.app, await providerOf(place.app, 'acme'), config).expect(200);
    });
    afterAll(async () => {
      await place.renewing.close();
      await place.acme.close();
      await place.hook.close();
    });
    Object.assign(place, {
      newDomain: async (label = 'www') => {
        count += 1;
        const domain = `shop${count}.test`;
        const held = await place.issue((await addSpace(place.app, 'holding')).id, `${label}.${domain}`);
        const { id: other } = await addSpace(place.app, 'other');
        const expiresAt = new Date('2100-01-01T00:00:00Z');
        const writer = await settlePerson(place.app, { username: `writer${count}` }, { expiresAt });
        await grant(place.app, writer, 'READ_WRITE', [other]);
        return { domain, held, other, writer };
      },
    });
    suite(place);
  });
}

function requestsOf(renewing: RenewalPlace) {
  const { app, providerId: dummyCa } = renewing;
  const { ada } = app.people;
  return {
    upload: async (fqdn: Fqdn, person: Person, ...names: string[]) =>
      csrUpload(app, fqdn, await newCsr(...(names.length === 0 ? [fqdn.fqdn] : names)), person),
    sign: (fqdn: Fqdn, person: Person, providerId = dummyCa) =>
      app.request.post(pathOf(fqdn, 'csr/sign')).set(person.auth).send({ providerId }),
    request: (fqdn: Fqdn, person: Person) =>
      app.request
        .post(`${pathOf(fqdn, 'request-certificate')}?wait=20`)
        .set(person.auth)
        .send({ confirmed: true }),
    importTo: async (fqdn: Fqdn, person: Person) =>
      app.request
        .post(pathOf(fqdn, 'certificates/import'))
        .set(person.auth)
        .send({ pem: await foreignPem(fqdn.fqdn, app.clock.now()) }),
    issue: async (spaceId: string, hostname: string) => {
      const fqdn = await addFqdn(app, spaceId, hostname);
      await addCsr(app, fqdn, await newCsr(hostname));
      await signWith(renewing, fqdn);
      return fqdn;
    },
    allow: (spaceId: string, allowedNames: Partial<AllowedNames> | null, more = {}) => {
      const names = { names: [], suffixes: [], wildcards: false, cidrs: [], beyondFqdn: false };
      const body = { allowedNames: allowedNames && { ...names, ...allowedNames }, confirmed: true, ...more };
      return app.request.put(`/spaces/${spaceId}/issuance-policy`).set(ada.auth).send(body).expect(200);
    },
  };
}
