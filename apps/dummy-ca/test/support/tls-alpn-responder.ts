import type { AddressInfo } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import {
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  type GeneralNamesInput,
  issueCertificate,
} from '@certloop/crypto';
import { p256, pemOf } from './csrs.js';

export interface TlsAlpnResponder {
  readonly port: number;
  /** Server names that were asked for. */
  readonly serverNames: string[];
  close(): Promise<void>;
}

export interface ChallengeCertificate extends GeneralNamesInput {
  /** Octets of the value of acmeIdentifier; undefined leaves the extension out. */
  readonly value: Buffer | undefined;
  readonly critical?: boolean;
}

/** Server of an applicant on a free port that answers tls-alpn-01 with the given certificate. */
export async function startTlsAlpnResponder(
  certificate: ChallengeCertificate,
  protocols: readonly string[] = ['acme-tls/1'],
): Promise<TlsAlpnResponder> {
  const serverNames: string[] = [];
  const server = createServer({
    ...(await keyAndCertificate(certificate)),
    ALPNProtocols: [...protocols],
    SNICallback: (name, done) => {
      serverNames.push(name);
      done(null);
    },
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.end();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    serverNames,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function keyAndCertificate({
  value,
  critical = true,
  ...names
}: ChallengeCertificate): Promise<TlsOptions> {
  const notBefore = new Date(Date.now() - 60_000);
  const notAfter = new Date(Date.now() + 3_600_000);
  const subject = { commonName: 'ACME challenge' };
  const issuer = createIssuer(
    await createRoot({ keyKind: 'P-256', subject, serialNumber: 1n, notBefore, notAfter }),
  );
  const { privateKey, publicKey } = p256();
  const der = await issueCertificate(issuer, {
    serialNumber: 2n,
    subjectDer: encodeName(subject),
    spkiDer: exportSpki(publicKey),
    notBefore,
    notAfter: new Date(notAfter.getTime() - 60_000),
    subjectAltNames: names,
    extensions: value === undefined ? [] : [{ oid: '1.3.6.1.5.5.7.1.31', critical, value }],
  });
  return { key: exportPrivateKeyPem(privateKey), cert: pemOf(der, 'CERTIFICATE') };
}
