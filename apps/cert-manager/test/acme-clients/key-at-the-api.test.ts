import { certManagerContract, type Endpoint, type NewAcmeClient } from '@certloop/contracts';
import { macJws } from '@certloop/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Operation, routeNeeds } from '../../src/access/route-needs.js';
import { startAppOnSqlite, type TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import { addFqdn, addSpace, unknownId } from '../support/inventory.js';

const operations = Object.keys(certManagerContract) as Operation[];
const endpointOf = (operation: Operation): Endpoint => certManagerContract[operation];
const isPublic = (operation: Operation) => endpointOf(operation).public === true;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Ways in which someone with the key of an ACME client could present it to the API. */
const credentials: Readonly<Record<string, (client: NewAcmeClient) => Readonly<Record<string, string>>>> = {
  'the key': ({ hmacKey }) => ({ Authorization: `Bearer ${hmacKey}` }),
  'its identifier': ({ kid }) => ({ Authorization: `Bearer ${kid}` }),
  both: ({ kid, hmacKey }) => ({ Authorization: `Bearer ${kid}.${hmacKey}` }),
  'both as user name and password': ({ kid, hmacKey }) => ({
    Authorization: `Basic ${base64(`${kid}:${hmacKey}`)}`,
  }),
  'the id of the client': ({ id }) => ({ Authorization: `Bearer ${id}`, 'X-User-Id': id }),
  'the key as a session': ({ hmacKey }) => ({
    Cookie: `__Host-cm_session=${hmacKey}; cm_session=${hmacKey}`,
  }),
};

describe('the key of an ACME client at the API', () => {
  let app: TestApp;
  let client: NewAcmeClient;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    app = await startAppOnSqlite({ environment: withKeys });
    const { id: spaceId } = await addSpace(app);
    client = await addAcmeClient(app, spaceId);
    ids = { spaceId, fqdnId: (await addFqdn(app, spaceId)).id, userId: app.people.ada.id };
  });
  afterAll(() => app.close());

  /** The address of the operation in the space of the client. */
  const pathOf = (operation: Operation) => {
    const { path } = endpointOf(operation);
    const id = path.startsWith('/spaces/{id}') ? ids['spaceId'] : client.id;
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? id : ids[name]) ?? unknownId);
  };
  const call = (operation: Operation, headers: Readonly<Record<string, string>>) => {
    const method = endpointOf(operation).method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
    return app.request[method](pathOf(operation)).set({ ...headers });
  };

  test.each(operations.filter((operation) => !isPublic(operation)))(
    'opens nothing: %s',
    async (operation) => {
      const answers: Record<string, number> = {};
      for (const [name, headersOf] of Object.entries(credentials)) {
        const { status, body } = await call(operation, headersOf(client));
        answers[name] = status;
        expect(JSON.stringify(body)).not.toContain(client.hmacKey);
      }
      // a binding, as clients sign it for newAccount, is no credential here
      const url = `http://127.0.0.1${pathOf(operation)}`;
      const jws = macJws(Buffer.from(client.hmacKey, 'base64url'), { kid: client.kid, url }, '{}');
      const signed = await call(operation, { 'Content-Type': 'application/jose+json' }).send(
        JSON.stringify(jws),
      );
      answers['a signed request'] = signed.status;
      const refused = [...Object.keys(credentials), 'a signed request'].map((name) => [name, 401]);
      expect(answers).toEqual(Object.fromEntries(refused));
    },
  );

  test.each(operations.filter(isPublic))(
    'changes nothing where no credential is needed: %s',
    async (operation) => {
      expect(['anonymous', 'before-setup']).toContain(routeNeeds[operation]);
      const { status: usual } = await call(operation, {});
      for (const headersOf of Object.values(credentials)) {
        const { status, text } = await call(operation, headersOf(client));
        expect(status).toBe(usual);
        for (const secret of [client.hmacKey, client.kid, client.spaceId, client.name]) {
          expect(text).not.toContain(secret);
        }
      }
    },
  );
});
