import { setTimeout as pause } from 'node:timers/promises';
import {
  type Certificate,
  createCertManagerClient,
  createCheckMonitorClient,
  createDummyCaClient,
  type Fqdn,
  NotFound,
  type Space,
} from '@certloop/contracts';
import {
  buildCsr,
  certificateLabel,
  checkChain,
  csrLabels,
  describeCertificate,
  describeCsr,
  generateKeyPair,
  parseCertificate,
  parseCsr,
  parsePem,
  publicKeysEqual,
  splitChain,
} from '@certloop/crypto';
import type { Credentials } from './credentials.js';

/**
 * How calls are made. A service answers within 130 s, however slow its machine is. Each call has a connection of its own:
 * a service that restarts, or has idled for a minute, may just be closing an earlier one.
 */
export const patientCalls = { timeoutMs: 150_000, headers: { connection: 'close' } };

/** The clients of one stack. */
export function clientsOf(credentials: Credentials) {
  const { certManager, checkMonitor, dummyCa } = credentials;
  return {
    manager: createCertManagerClient({
      ...patientCalls,
      baseUrl: certManager.url,
      token: certManager.token,
    }),
    monitor: createCheckMonitorClient({
      ...patientCalls,
      baseUrl: checkMonitor.url,
      apiKey: checkMonitor.readWriteKey,
    }),
    ca: createDummyCaClient({ ...patientCalls, baseUrl: dummyCa.url }),
  };
}

export type Clients = ReturnType<typeof clientsOf>;

/** A CSR with a fresh P-256 key for a host name, as PEM; the key is forgotten. */
export async function makeCsr(hostname: string): Promise<string> {
  const { privateKey } = await generateKeyPair('P-256');
  return (await buildCsr({ privateKey, subject: { commonName: hostname }, dnsNames: [hostname] })).pem;
}

/** Host name that a CSR asks for: its first DNS name, else its common name. Throws InvalidInput. */
export function hostnameOf(csrPem: string): string {
  const { dnsNames, commonNames } = describeCsr(parseCsr(parsePem(csrPem, csrLabels)));
  const name = dnsNames[0] ?? commonNames[0];
  if (name === undefined) throw new NotFound('the CSR contains no host name');
  return name;
}

export interface Place {
  readonly spaceId: string;
  readonly fqdnId: string;
}

export async function makeSpace({ manager }: Clients, name: string): Promise<Space> {
  return (await manager.createSpace({ body: { name } })).body;
}

export async function addFqdn({ manager }: Clients, spaceId: string, fqdn: string): Promise<Fqdn> {
  return (await manager.createFqdn({ params: { id: spaceId }, body: { fqdn } })).body;
}

export async function uploadCsr(
  { manager }: Clients,
  place: Place,
  fqdn: string,
  csrPem: string,
): Promise<void> {
  await manager.uploadCsr({
    params: place,
    body: {
      file: { name: 'request.csr', contentType: 'application/pkcs10', bytes: Buffer.from(csrPem) },
      fields: { spaceId: place.spaceId, fqdn },
    },
  });
}

/** Id of the provider that signs through the dummy CA. */
export async function dummyCaProvider({ manager }: Clients): Promise<string> {
  const provider = (await manager.listProviders()).body.find(({ name }) => name === 'dummy-ca');
  if (provider === undefined) throw new NotFound('there is no provider named dummy-ca');
  return provider.id;
}

/** The certificate that a CSR was signed into, as it is listed afterwards. Throws with the reason. */
export async function signCsr(clients: Clients, place: Place): Promise<Certificate> {
  const providerId = await dummyCaProvider(clients);
  const { success, message } = (await clients.manager.signCsr({ params: place, body: { providerId } })).body;
  if (!success) throw new Error(message);
  const certificate = (await clients.manager.listCertificates({ params: place })).body.at(-1);
  if (certificate === undefined) throw new Error('the signed certificate is not listed');
  return certificate;
}

/**
 * Returns the facts of a certificate that fits: its key is the CSR's, its names cover those of the CSR, its chain ends
 * at the root that the CA shows. Throws with the reason when it does not.
 */
export async function judgeCertificate({ ca }: Clients, pem: string, csrPem: string) {
  const [leaf, ...others] = splitChain(pem);
  const csr = parseCsr(parsePem(csrPem, csrLabels));
  if (leaf === undefined) throw new Error('there is no certificate in the answer');
  const certificate = parseCertificate(leaf);
  if (!publicKeysEqual(certificate.spkiDer, csr.spkiDer)) throw new Error("the key is not the CSR's");
  const facts = describeCertificate(certificate);
  const missing = describeCsr(csr).dnsNames.filter((name) => !facts.dnsNames.includes(name));
  if (missing.length > 0) throw new Error(`the certificate lacks ${missing.join(', ')}`);
  const root = parseCertificate(parsePem((await ca.getRoot()).body, [certificateLabel]));
  const chain = checkChain(certificate, others.map(parseCertificate), [root], new Date());
  if (!chain.ok) throw new Error(chain.reason);
  return facts;
}

/** The manager's own check in the monitor, once it is up. Throws when it is not up within the time. */
export async function awaitHeartbeat({ monitor }: Clients, withinMs: number) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await pause(200)) {
    const { checks } = (await monitor.listChecks({ query: { slug: heartbeatSlug } })).body;
    const up = checks.find(({ status }) => status === 'up');
    if (up !== undefined) return up;
  }
  throw new Error(`the check ${heartbeatSlug} did not go up within ${withinMs / 1000} s`);
}

const heartbeatSlug = 'certloop-cert-manager';
