import { randomBytes, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Provider } from '@certloop/contracts';
import { column, openDatabase, querySql } from '@certloop/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clients, makeCsr, makeSpace, type Place, uploadCsr } from '../../src/main-job.js';
import { runCommand, type ServiceProcess, startService } from '../../src/service-process.js';
import { freePort } from '../../src/stack-ports.js';
import { answeringAtOnePort, awaitCertificates, request } from '../support/acme-place.js';
import { isPebbleThere, startPebble } from '../support/pebble-process.js';
import { describeStack } from '../support/running-stack.js';
import type { RunningStack } from '../support/test-stack.js';

const keys = ['kid-1', 'kid-2'].map((kid) => ({ kid, hmacKey: randomBytes(32).toString('base64url') }));

describeStack(
  'several providers of one kind',
  (running) => {
    let staging: { readonly url: string; readonly service: ServiceProcess };
    beforeAll(async () => {
      staging = await startStaging(running());
    });
    afterAll(() => staging.service.stop());

    test('order and renew at their own CAs, and an unavailable one delays only its own certificates', async () => {
      const { clients, stack } = running();
      const urls = { live: stack.plan.urls['dummy-ca'], staging: staging.url };
      const live = await createAcme(clients, 'live', { directoryUrl: `${urls.live}/acme/directory` });
      const stage = await createAcme(clients, 'staging', { directoryUrl: `${urls.staging}/acme/directory` });
      const places = {
        live: await placeNaming(clients, live, 'shop.example.test'),
        staging: await placeNaming(clients, stage, 'shop.example.test'),
      };
      for (const name of ['live', 'staging'] as const) {
        const reply = await request(clients, places[name]);
        expect(reply).toMatchObject({ success: true, message: expect.stringContaining(`by ${name},`) });
        await renewNow(clients, places[name], reply.certificate?.id ?? '');
      }
      for (const name of ['live', 'staging'] as const) {
        const root = await (await fetch(`${urls[name]}/root`)).text();
        const certificates = await awaitCertificates(clients, places[name], 2);
        expect(certificates.map(({ pem }) => isUnder(root, pem))).toEqual([true, true]);
      }
      await staging.service.kill();
      expect(await request(clients, places.staging, true)).toMatchObject({ success: false });
      expect(await request(clients, places.live, true)).toMatchObject({ success: true });
    });

    test('have separate accounts and keys at one CA, each with an external account binding', async () => {
      const { clients, stack } = running();
      const directoryUrl = `${stack.plan.urls['dummy-ca']}/acme/directory`;
      const created: Provider[] = [];
      for (const eab of keys) created.push(await createAcme(clients, eab.kid, { directoryUrl, eab }));
      const places: Place[] = [];
      for (const provider of created) {
        const place = await placeNaming(clients, provider, `${provider.name}.example.test`);
        expect(await request(clients, place)).toMatchObject({ success: true });
        places.push(place);
      }
      const before = await accountsOf(running(), created);
      expect(new Set(before.map(({ url }) => url)).size).toBe(2);
      const environment = stack.plan.environments['cert-manager'];
      const said = await runCommand('cert-manager', ['acme', 'new-key', '--provider', 'kid-2'], environment);
      expect(said).toBe('the account of kid-2 has another key\n');
      const after = await accountsOf(running(), created);
      expect(after.map(({ url }) => url)).toEqual(before.map(({ url }) => url));
      expect(after.map(({ sealedKey }, index) => sealedKey === before[index]?.sealedKey)).toEqual([
        true,
        false,
      ]);
      for (const place of places)
        expect(await request(clients, place, true)).toMatchObject({ success: true });
    });

    const testWithPebble = isPebbleThere ? test : test.skip;
    testWithPebble('order from dummy-ca and from another ACME CA, the same name at both', async () => {
      const { clients, stack } = running();
      const pebble = await startPebble(clients);
      const caBundlePem = (await clients.ca.getRoot({})).body;
      try {
        const inside = await createAcme(clients, 'inside', {
          directoryUrl: `${stack.plan.urls['dummy-ca']}/acme/directory`,
        });
        const { directoryUrl } = pebble;
        const outside = await createAcme(clients, 'outside', { directoryUrl, caBundlePem });
        const [one, other] = await Promise.all(
          [inside, outside].map(async (provider) => {
            return request(clients, await placeNaming(clients, provider, 'both.example.test'));
          }),
        );
        expect([one, other]).toMatchObject([{ success: true }, { success: true }]);
        const roots = [caBundlePem, pebble.rootPem];
        for (const [index, reply] of [one, other].entries()) {
          const pem = reply?.certificate?.pem ?? '';
          expect(roots.map((root) => isUnder(root, pem))).toEqual([index === 0, index === 1]);
        }
      } finally {
        await pebble.stop();
      }
    });
  },
  async () => ({
    ...(await answeringAtOnePort()),
    DUMMY_CA_EAB: keys.map(({ kid, hmacKey }) => `${kid}:${hmacKey}`).join(' '),
  }),
);

/** A second dummy-ca, with another root. */
async function startStaging({ stack }: RunningStack) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startService({
    app: 'dummy-ca',
    environment: {
      ...stack.plan.environments['dummy-ca'],
      DUMMY_CA_PORT: String(port),
      DUMMY_CA_HTTPS_PORT: String(await freePort()),
    },
    healthUrl: `${url}/health`,
    logFile: join(stack.plan.dataDir, 'staging.log'),
  });
  await service.ready;
  return { url, service };
}

/** A provider that proves names by http-01. */
async function createAcme({ manager }: Clients, name: string, more: object): Promise<Provider> {
  const config = {
    termsOfServiceAgreed: true,
    allowPrivateNetwork: true,
    challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
    ...more,
  };
  return (await manager.createProvider({ body: { kind: 'acme', name, config } })).body;
}

/** An FQDN that names the provider, with a CSR. */
async function placeNaming(clients: Clients, { id: providerId }: Provider, hostname: string): Promise<Place> {
  const { id } = await makeSpace(clients, hostname);
  const { body } = await clients.manager.createFqdn({ params: { id }, body: { fqdn: hostname, providerId } });
  const place = { spaceId: id, fqdnId: body.id };
  await uploadCsr(clients, place, body.fqdn, await makeCsr(hostname));
  return place;
}

async function renewNow({ manager }: Clients, place: Place, certificateId: string): Promise<void> {
  await manager.createTestRenewal({ body: { certificateId, ...place, minutesFromNow: 0 } });
  await manager.triggerRenewals({});
}

/** Whether the last certificate of a chain is signed by the root. */
function isUnder(root: string, pem: string): boolean {
  const top = pem.split(/(?<=-----END CERTIFICATE-----\n)/).at(-1) ?? '';
  return new X509Certificate(top).verify(new X509Certificate(root).publicKey);
}

const accountColumns = { providerId: column.uuid(), url: column.text(), sealedKey: column.text() };

/** Accounts with CAs, in the order of their providers. */
async function accountsOf({ stack }: RunningStack, providers: readonly Provider[]) {
  const url = stack.plan.environments['cert-manager']['CERT_MANAGER_DATABASE_URL'] ?? '';
  const database = await openDatabase({ url, schema: { entities: () => [], migrations: [] } });
  const rows = await database.read((tx) =>
    querySql(tx, accountColumns, 'select provider_id, url, sealed_key from acme_accounts'),
  );
  await database.close();
  return providers.flatMap(({ id }) => rows.filter(({ providerId }) => providerId === id));
}
