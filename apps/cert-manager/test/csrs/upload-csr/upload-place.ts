import type { Fqdn } from '@certloop/contracts';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterAll, beforeAll } from 'vitest';
import { startApp, type TestApp } from '../../support/app.js';
import { addFqdn, addSpace, csrUpload, pathOf } from '../../support/inventory.js';
import type { Person } from '../../support/people.js';

/** A service, and an FQDN to which a test uploads CSRs. */
export interface UploadPlace {
  readonly app: TestApp;
  readonly fqdn: Fqdn;
  readonly upload: (pem: string | Buffer, person?: Person) => ReturnType<typeof csrUpload>;
  /** An upload without its parts. */
  readonly bare: () => ReturnType<TestApp['request']['post']>;
  /** How many CSRs the FQDN has. */
  readonly storedCount: () => Promise<number>;
}

export function useUploads(open: OpenTestDatabase): UploadPlace {
  const place: UploadPlace = Object.assign({} as Pick<UploadPlace, 'app' | 'fqdn'>, {
    upload: (pem: string | Buffer, person = place.app.people.ada) =>
      csrUpload(place.app, place.fqdn, pem, person),
    bare: () => place.app.request.post(pathOf(place.fqdn, 'csr')).set(place.app.people.ada.auth),
    storedCount: async () => {
      const { app, fqdn } = place;
      const { body } = await app.request.get(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(200);
      return (body as unknown[]).length;
    },
  });
  beforeAll(async () => {
    const app = await startApp(open);
    Object.assign(place, { app, fqdn: await addFqdn(app, (await addSpace(app)).id) });
  });
  afterAll(() => place.app.close());
  return place;
}
