import { until } from '@certloop/contracts/testing';
import { addFqdn, type Clients, makeCsr, makeSpace, type Place, uploadCsr } from '../../src/main-job.js';
import { freePort } from '../../src/stack-ports.js';
import type { RunningStack } from './test-stack.js';

/** What lets the dummy CA look for http-01 answers at the manager, for every name. */
export async function answeringAtOnePort(): Promise<Readonly<Record<string, string>>> {
  const port = String(await freePort());
  return { HTTP01_PORT: port, DUMMY_CA_HTTP01_PORT: port, DUMMY_CA_RESOLVE_TO: '127.0.0.1' };
}

/** Lets the manager order from the dummy CA; the id of the provider. */
export async function useAcme({ clients, stack }: RunningStack, more: object = {}): Promise<string> {
  const { body } = await clients.manager.listProviders({});
  const { id } = body.find(({ name }) => name === 'acme') ?? { id: '' };
  const config = {
    directoryUrl: `${stack.plan.urls['dummy-ca']}/acme/directory`,
    termsOfServiceAgreed: true,
    allowPrivateNetwork: true,
    challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
    ...more,
  };
  await clients.manager.setProviderConfig({ params: { id }, body: { config } });
  await clients.manager.setProviderEnabled({ params: { id }, body: { enabled: true } });
  return id;
}

/** A new FQDN with a CSR, and the CSR. */
export async function placeWithCsr(
  clients: Clients,
  hostname: string,
): Promise<{ readonly place: Place; readonly csrPem: string }> {
  const csrPem = await makeCsr(hostname);
  const space = await makeSpace(clients, hostname);
  const fqdn = await addFqdn(clients, space.id, hostname);
  const place = { spaceId: space.id, fqdnId: fqdn.id };
  await uploadCsr(clients, place, fqdn.fqdn, csrPem);
  return { place, csrPem };
}

/** Asks for a certificate and waits for it; confirmed when one serves already. */
export async function request({ manager }: Clients, params: Place, confirmed = false) {
  return (await manager.requestCertificate({ params, query: { wait: '120' }, body: { confirmed } })).body;
}

/** The certificates of an FQDN as soon as there are so many. */
export function awaitCertificates({ manager }: Clients, params: Place, count: number) {
  return until(async () => {
    const { body } = await manager.listCertificates({ params });
    return body.length >= count && body;
  });
}
