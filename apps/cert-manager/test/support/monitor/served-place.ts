import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { Fqdn, Served, Target } from '@certloop/contracts';
import { buildCsr, exportPrivateKeyPem, generateKeyPair } from '@certloop/crypto';
import type { TestApp } from '../app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../inventory.js';
import { certificatesOf, type RenewalPlace, signWith } from '../renewals.js';

/** A TLS server of one address, whose certificate is switched as by a reload. */
export interface TlsServer {
  readonly port: number;
  /** Connections that it has taken. */
  readonly taken: () => number;
  /** Serves this from now on. */
  reload(options: Pick<TlsOptions, 'cert' | 'key'>): void;
  close(): Promise<void>;
}

/** Starts a TLS server. It has no roots of its own, with which it would complete its chain. */
export async function startTlsServer(options: TlsOptions, host = '127.0.0.1', port = 0): Promise<TlsServer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer({ ca: [], ...options });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    taken += 1;
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  server.on('secureConnection', (socket) => socket.on('error', () => undefined));
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => taken,
    reload: (next) => server.setSecureContext({ ca: [], ...next }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Environment of a manager that may probe loopback at these ports. */
export const probing = (...ports: readonly number[]) => ({
  PROBE_ALLOW_CIDRS: '127.0.0.0/8',
  PROBE_PORTS: ports.join(','),
});

/** An FQDN with a CSR whose key is at hand, and a certificate. */
export interface OwnedFqdn {
  readonly fqdn: Fqdn;
  readonly keyPem: string;
}

export async function ownedFqdn(place: RenewalPlace, hostname = 'www.example.org'): Promise<OwnedFqdn> {
  const { app } = place;
  const fqdn = await addFqdn(app, (await addSpace(app)).id, hostname);
  const { privateKey } = await generateKeyPair('P-256');
  const { pem } = await buildCsr({ privateKey, dnsNames: [hostname], subject: { commonName: hostname } });
  await addCsr(app, fqdn, pem);
  await signWith(place, fqdn);
  return { fqdn, keyPem: exportPrivateKeyPem(privateKey) };
}

/** The newest certificate of the FQDN with its key, as a server takes them. */
export async function newestOf(app: TestApp, { fqdn, keyPem }: OwnedFqdn) {
  const newest = (await certificatesOf(app, fqdn)).at(-1);
  if (newest === undefined) throw new Error('no certificate');
  return { cert: newest.pem, key: keyPem };
}

/** Adds a target of the FQDN as the administrator. */
export async function addTarget(app: TestApp, fqdn: Fqdn, body: object): Promise<Target> {
  const path = pathOf(fqdn, 'targets');
  const answer = await app.request.post(path).set(app.people.ada.auth).send(body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as Target;
}

export async function servedOf(app: TestApp, fqdn: Fqdn): Promise<Served> {
  const { body } = await app.request.get(pathOf(fqdn, 'served')).set(app.people.ada.auth).expect(200);
  return body as Served;
}

/** Classes by address, of all targets. */
export async function classesOf(app: TestApp, fqdn: Fqdn): Promise<Record<string, string>> {
  const { targets } = await servedOf(app, fqdn);
  return Object.fromEntries(
    targets.flatMap(({ addresses }) => addresses.map((one) => [one.address ?? '', one.class])),
  );
}
