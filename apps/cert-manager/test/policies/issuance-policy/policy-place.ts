import type { AllowedNames, Fqdn, Space } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import type { Test } from 'supertest';
import { afterAll, beforeAll } from 'vitest';
import type { TestApp } from '../../support/app.js';
import type { FakeCa } from '../../support/cas/fake-ca.js';
import { addSpace, pathOf } from '../../support/inventory.js';
import type { Person } from '../../support/people.js';
import { providerOf, startAppWithCa } from '../../support/signing.js';

export const nothing: AllowedNames = {
  names: [],
  suffixes: [],
  wildcards: false,
  cidrs: [],
  beyondFqdn: false,
};
export const example: AllowedNames = { ...nothing, suffixes: ['example.org'] };
/** A policy without limits. */
export const unlimited = { allowedNames: null, providerIds: null };

/** What a test of issuance policies finds in place: a service, its CA, and requests of an administrator. */
export interface PolicyPlace {
  readonly app: TestApp;
  readonly ca: FakeCa;
  /** Ids of the two first providers. */
  readonly dummyCa: string;
  readonly acme: string;
  /** Path of the policy of a space. */
  path(spaceId: string): string;
  get(spaceId: string, person?: Person): Test;
  put(spaceId: string, body: object, query?: string, person?: Person): Test;
  sign(fqdn: Fqdn, providerId?: string, by?: TestApp): Test;
  create(spaceId: string, body: object): Test;
  /** How many requests the CA got. */
  asked(): number;
  /** Adds a space with this policy. */
  spaceWith(allowedNames: AllowedNames | null, providerIds?: string[] | null): Promise<Space>;
}

/** Describes issuance policies on each database. */
export function describePolicies(name: string, suite: (place: PolicyPlace) => void): void {
  describeEachDialect(name, (openDatabase) => {
    let close: () => Promise<void>;
    const place: PolicyPlace = Object.assign({} as Pick<PolicyPlace, 'app' | 'ca' | 'dummyCa' | 'acme'>, {
      path: (id: string) => `/spaces/${id}/issuance-policy`,
      get: (id: string, person = place.app.people.ada) =>
        place.app.request.get(place.path(id)).set(person.auth),
      put: (id: string, body: object, query = '', person = place.app.people.ada) =>
        place.app.request
          .put(`${place.path(id)}${query}`)
          .set(person.auth)
          .send(body),
      sign: (fqdn: Fqdn, providerId = place.dummyCa, by = place.app) =>
        by.request.post(pathOf(fqdn, 'csr/sign')).set(place.app.people.ada.auth).send({ providerId }),
      create: (spaceId: string, body: object) =>
        place.app.request.post(`/spaces/${spaceId}/fqdns`).set(place.app.people.ada.auth).send(body),
      asked: () => place.ca.paths.length,
      spaceWith: async (allowedNames: AllowedNames | null, providerIds: string[] | null = null) => {
        const space = await addSpace(place.app);
        await place.put(space.id, { allowedNames, providerIds }).expect(200);
        return space;
      },
    });
    beforeAll(async () => {
      const { app, ca, close: end } = await startAppWithCa(openDatabase);
      close = end;
      const [dummyCa, acme] = [await providerOf(app, 'dummy-ca'), await providerOf(app, 'acme')];
      Object.assign(place, { app, ca, dummyCa: dummyCa.id, acme: acme.id });
    });
    afterAll(() => close());
    suite(place);
  });
}
