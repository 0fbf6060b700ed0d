import { expect, test } from '@jest/globals';
import {
  addFqdn,
  type Clients,
  judgeCertificate,
  makeCsr,
  makeSpace,
  type Place,
  uploadCsr,
} from '../src/main-job.js';
import { freePort } from '../src/ports.js';
import { describeStack, type RunningStack } from './running-stack.js';

describeStack(
  'orders by ACME',
  (running) => {
    test('are placed, proven and renewed without the key of the CSR', async () => {
      const { clients } = running();
      const provider = await useAcme(running());
      const csrPem = await makeCsr('shop.example.test');
      const space = await makeSpace(clients, 'Shop');
      const fqdn = await addFqdn(clients, space.id, 'shop.example.test');
      const place = { spaceId: space.id, fqdnId: fqdn.id };
      await uploadCsr(clients, place, fqdn.fqdn, csrPem);
      const first = await request(clients, place);
      expect(first).toMatchObject({ success: true, stepStatus: { challenges: { status: 'ok' } } });
      await judgeCertificate(clients, first.certificate?.pem ?? '', csrPem);
      expect((await clients.manager.testProvider({ params: { id: provider }, body: {} })).body).toEqual({
        success: true,
        message: 'the directory is sound and hands out nonces; the account is known',
      });
      const entry = { certificateId: first.certificate?.id ?? '', ...place, minutesFromNow: 0 };
      await clients.manager.createTestRenewal({ body: entry });
      await clients.manager.triggerRenewals({});
      const renewed = await awaitCertificates(clients, place, 2);
      const facts = await judgeCertificate(clients, renewed[1]?.pem ?? '', csrPem);
      expect(facts.dnsNames).toEqual(['shop.example.test']);
    });

    test('go on with another account when the CA has lost its memory', async () => {
      const { clients, stack } = running();
      await useAcme(running());
      const space = await makeSpace(clients, 'Forgotten');
      const fqdn = await addFqdn(clients, space.id, 'lost.example.test');
      const place = { spaceId: space.id, fqdnId: fqdn.id };
      const csrPem = await makeCsr('lost.example.test');
      await uploadCsr(clients, place, fqdn.fqdn, csrPem);
      expect(await request(clients, place)).toMatchObject({ success: true });
      await stack.end('dummy-ca', 'kill');
      await stack.start('dummy-ca');
      const again = await request(clients, place, true);
      expect(again).toMatchObject({ success: true });
      await judgeCertificate(clients, again.certificate?.pem ?? '', csrPem);
    });
  },
  async () => {
    const port = String(await freePort());
    return { HTTP01_PORT: port, DUMMY_CA_HTTP01_PORT: port, DUMMY_CA_RESOLVE_TO: '127.0.0.1' };
  },
);

/** Lets the manager order from the dummy CA; the id of the provider. */
async function useAcme({ clients, stack }: RunningStack): Promise<string> {
  const { body } = await clients.manager.listProviders({});
  const { id } = body.find(({ name }) => name === 'acme') ?? { id: '' };
  const config = {
    directoryUrl: `${stack.plan.urls['dummy-ca']}/acme/directory`,
    termsOfServiceAgreed: true,
    allowPrivateNetwork: true,
    challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
  };
  await clients.manager.setProviderConfig({ params: { id }, body: { config } });
  await clients.manager.setProviderEnabled({ params: { id }, body: { enabled: true } });
  return id;
}

async function request({ manager }: Clients, params: Place, confirmed = false) {
  return (await manager.requestCertificate({ params, query: { wait: '20' }, body: { confirmed } })).body;
}

/** The certificates of an FQDN as soon as there are so many. */
async function awaitCertificates({ manager }: Clients, params: Place, count: number) {
  for (let left = 100; ; left -= 1) {
    const { body } = await manager.listCertificates({ params });
    if (body.length >= count || left === 0) return body;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
