import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Certificate, SetupFacts } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { certificateLabel, checkChain, parseCertificate, parsePem, splitChain } from '@certloop/crypto';
import { expect } from 'vitest';
import { type Clients, dummyCaProvider, makeSpace, type Place } from '../../../src/main-job.js';
import { rootFile } from '../../../src/plan.js';
import { freePort } from '../../../src/stack-ports.js';
import { startPebble } from '../pebble-process.js';
import { type Cleanup, type RunningStack, startTestStack } from '../test-stack.js';

/** Where cert-manager gets the certificates for ACME clients. */
export const upstreams = ['dummy-ca', 'pebble'] as const;
export type Upstream = (typeof upstreams)[number];

/** A running stack with a space `Shop`, in which ACME clients get certificates that are valid for a day. */
export interface FrontPlace {
  readonly running: RunningStack;
  readonly spaceId: string;
  readonly directoryUrl: string;
  /** Port of this machine that probes of cert-manager may reach. */
  readonly probedPort: number;
  /** File of the root of the directory's own certificate. */
  readonly rootFile: string;
  /** Creates an ACME client for the names below a domain; returns what its commands are filled with. */
  addClient(domain: string, providerId?: string): Promise<SetupFacts>;
  /** Provider whose certificates are valid for a year; the CA of some places has none. */
  readonly lastingProviderId: string | undefined;
  placeOf(name: string): Promise<Place>;
  /** Certificates of a name, oldest first. */
  certificatesOf(name: string): Promise<readonly Certificate[]>;
  /** The newest certificate of a name, which must be the leaf of the chain in the file. */
  judge(name: string, file: string): Promise<Certificate>;
  /** Revokes the newest certificate of a name, so that its renewal information asks for a new one (RFC 9773). */
  wantRenewed(name: string): Promise<void>;
  /** Waits until the newest certificate of a name is revoked. */
  awaitRevoked(name: string): Promise<Certificate>;
  close(): Promise<void>;
}

// a third of the nonces that pebble has issued is refused
const nonceFaults = { PEBBLE_WFE_NONCEREJECT: '33' };

export async function openFrontPlace(upstream: Upstream): Promise<FrontPlace> {
  const cleanups: Cleanup[] = [];
  const probedPort = await freePort();
  const running = await startTestStack(
    'sqlite',
    {
      PROBE_ALLOW_CIDRS: '127.0.0.0/8',
      PROBE_PORTS: String(probedPort),
      // a certificate is an hour old from the start, so that a client may be asked to renew it at once
      DUMMY_CA_BACKDATE_SECONDS: '3600',
      // hosts have certificates of another CA before they move
      DUMMY_CA_VALIDATION: 'always-valid',
    },
    cleanups,
  );
  const { stack, clients } = running;
  const { config, kind, rootPem } = await configOf(upstream, running, cleanups);
  const { body: provider } = await clients.manager.createProvider({ body: { kind, name: 'brief', config } });
  const { id: spaceId } = await makeSpace(clients, 'Shop');
  const ownRoot = rootFile(stack.plan.dataDir);
  const directoryUrl = `${stack.plan.managerHttpsUrl}/acme/directory`;
  const addClient = createAdding({ clients, spaceId, providerId: provider.id, rootFile: ownRoot });
  return {
    running,
    spaceId,
    directoryUrl,
    probedPort,
    rootFile: ownRoot,
    lastingProviderId: upstream === 'dummy-ca' ? await dummyCaProvider(clients) : undefined,
    addClient: async (domain, providerId) => {
      const facts = await addClient(domain, providerId);
      expect(facts.directoryUrl).toBe(directoryUrl);
      return facts;
    },
    ...certificatesIn(clients, spaceId, rootPem),
    close: async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
  };
}

interface AddingPlace {
  readonly clients: Clients;
  readonly spaceId: string;
  readonly providerId: string;
  readonly rootFile: string;
}

/** Creates ACME clients of a space, by one provider unless another one is named. */
function createAdding({ clients, spaceId, providerId: usual, rootFile: file }: AddingPlace) {
  return async (domain: string, providerId = usual): Promise<SetupFacts> => {
    const names = { names: [domain], suffixes: [domain], wildcards: true };
    const body = { name: domain, names, providerId };
    const { kid, hmacKey, directoryUrl, name } = (
      await clients.manager.createAcmeClient({ params: { spaceId }, body })
    ).body;
    return {
      directoryUrl,
      kid,
      hmacKey,
      clientName: name,
      names: [`www.${domain}`],
      rootFile: file,
      rootPem: readFileSync(file, 'utf8'),
      reload: 'true',
    };
  };
}

/** Finds and judges the certificates of the FQDNs of a space. */
function certificatesIn({ manager }: Clients, spaceId: string, rootPem: string) {
  const placeOf = async (name: string): Promise<Place> => {
    const { body } = await manager.listFqdns({ params: { id: spaceId }, query: {} });
    const found = body.find(({ fqdn }) => fqdn === name);
    if (found === undefined) throw new Error(`${name} is no FQDN of the space`);
    return { spaceId, fqdnId: found.id };
  };
  const certificatesOf = async (name: string) =>
    (await manager.listCertificates({ params: await placeOf(name) })).body;
  const newestOf = async (name: string) => {
    const newest = (await certificatesOf(name)).at(-1);
    if (newest === undefined) throw new Error(`${name} has no certificate`);
    return newest;
  };
  return {
    placeOf,
    certificatesOf,
    judge: async (name: string, file: string) => {
      const [leaf, ...others] = splitChain(readFileSync(file, 'utf8')).map((der) => parseCertificate(der));
      if (leaf === undefined) throw new Error(`${file} has no certificate`);
      const root = parseCertificate(parsePem(rootPem, [certificateLabel]));
      expect(checkChain(leaf, others, [root], new Date())).toMatchObject({ ok: true });
      const newest = await newestOf(name);
      const served = new X509Certificate(leaf.der);
      expect(served.checkHost(name)).toBe(name);
      expect(new X509Certificate(newest.pem).fingerprint256).toBe(served.fingerprint256);
      return newest;
    },
    wantRenewed: async (name: string) => {
      const params = { ...(await placeOf(name)), certId: (await newestOf(name)).id };
      await manager.revokeCertificate({ params, body: { reason: 'superseded' } });
    },
    awaitRevoked: (name: string) =>
      until(async () => {
        const newest = await newestOf(name);
        return newest.revokedAt !== undefined && newest;
      }),
  };
}

/** Configuration of a provider whose certificates are valid for a day, and the root that they end at. */
async function configOf(upstream: Upstream, running: RunningStack, cleanups: Cleanup[]) {
  const { plan } = running.stack;
  const dummyCaRoot = readFileSync(rootFile(plan.dataDir), 'utf8');
  if (upstream === 'dummy-ca') {
    const config = { baseUrl: plan.urls['dummy-ca'], validityDays: 1, allowPrivateNetwork: true };
    return { kind: upstream, config, rootPem: dummyCaRoot };
  }
  const pebble = await startPebble(running.clients, nonceFaults);
  cleanups.push(pebble.stop);
  const config = {
    directoryUrl: pebble.directoryUrl,
    caBundlePem: dummyCaRoot,
    termsOfServiceAgreed: true,
    allowPrivateNetwork: true,
    challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
  };
  return { kind: 'acme' as const, config, rootPem: pebble.rootPem };
}
