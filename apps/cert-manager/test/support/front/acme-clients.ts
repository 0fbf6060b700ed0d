import type { AcmeClient, NewAcmeClient } from '@certloop/contracts';
import type { TestApp } from '../app.js';

/** Environment of an app that has a key to encrypt with. */
export const withKeys = { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}` };

let made = 0;

/** Creates an ACME client of the space as the administrator. */
export async function addAcmeClient(
  app: TestApp,
  spaceId: string,
  settings: Partial<Record<keyof AcmeClient, unknown>> = {},
): Promise<NewAcmeClient> {
  made += 1;
  const body = { name: `client-${made}`, names: { suffixes: ['example.com'] }, ...settings };
  const sent = app.request.post(`/spaces/${spaceId}/acme-clients`).set(app.people.ada.auth).send(body);
  return (await sent.expect(201)).body as NewAcmeClient;
}
