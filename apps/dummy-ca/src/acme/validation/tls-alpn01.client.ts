import { connect, type TLSSocket } from 'node:tls';
import {
  acmeIdentifierOid,
  acmeIdentifierValue,
  orProblem,
  type Proof,
  tlsAlpn01ServerName,
} from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import { type Certificate, parseCertificate } from '@certloop/crypto';
import { limitConnect } from './connect-limit.client.js';
import { atFirstReachable } from './first-reachable.js';
import type { Names } from './names.client.js';
import type { ValidationSettings, ValidationTime } from './validation-settings.js';

const protocol = 'acme-tls/1';

/**
 * Asks for the certificate that proves the challenge (RFC 8737 §3, for addresses RFC 8738 §6). Throws `connection`,
 * `dns`, `tls` when no connection with the protocol comes about, `incorrectResponse` for another certificate.
 */
export async function proveTlsAlpn01(
  proof: Proof,
  names: Names,
  settings: ValidationSettings,
  time: ValidationTime,
): Promise<void> {
  const addresses = await names.addressesOf(proof.identifier.value, time.signal);
  await atFirstReachable(addresses, time, (address, connectMs) =>
    proveAt(address, connectMs, proof, settings, time.signal),
  );
}

async function proveAt(
  address: string,
  connectMs: number | undefined,
  proof: Proof,
  settings: ValidationSettings,
  signal: AbortSignal,
): Promise<void> {
  const socket = connect({
    host: address,
    port: settings.tlsAlpn01Port,
    servername: tlsAlpn01ServerName(proof.identifier),
    ALPNProtocols: [protocol],
    // The certificate of the challenge is self-signed.
    rejectUnauthorized: false,
  });
  limitConnect(socket, connectMs);
  try {
    await handshake(socket, `${proof.identifier.value} at ${address}`, signal);
    judge(socket, proof);
  } finally {
    socket.destroy();
  }
}

function handshake(socket: TLSSocket, target: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (type: 'connection' | 'tls', reason: string, cause?: Error) =>
      reject(new AcmeProblem(type, `TLS with ${target}: ${reason}`, { cause }));
    signal.addEventListener('abort', () => fail('connection', 'timed out'), { once: true });
    socket.once('secureConnect', resolve);
    // With `on`, since another error may follow when the socket is destroyed.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.syscall === undefined ? 'tls' : 'connection', error.message, error),
    );
    socket.once('close', () => fail('tls', 'the connection ended'));
  });
}

function judge(socket: TLSSocket, { identifier, keyAuthorization }: Proof): void {
  if (socket.alpnProtocol !== protocol) throw new AcmeProblem('tls', `the server does not speak ${protocol}`);
  const certificate = parse(socket.getPeerX509Certificate()?.raw);
  const { dnsNames, ipAddresses, ...others } = certificate.subjectAltNames;
  // RFC 8738 §6: an address counts only as an iPAddress, never as the text of a dNSName.
  const names = [
    ...dnsNames.map((name) => `dns:${name.toLowerCase()}`),
    ...ipAddresses.map((address) => `ip:${address}`),
  ];
  const hasOthers = Object.values(others).some((kind) => kind.length > 0);
  if (hasOthers || names.length !== 1 || names[0] !== `${identifier.type}:${identifier.value}`) {
    throw incorrect(`the certificate is not for ${identifier.value} alone`);
  }
  const extension = certificate.extensions.find(({ oid }) => oid === acmeIdentifierOid);
  if (extension?.critical !== true) throw incorrect('the certificate has no critical acmeIdentifier');
  if (!extension.value.equals(acmeIdentifierValue(keyAuthorization))) {
    throw incorrect('the acmeIdentifier is not the digest of the key authorization');
  }
}

function parse(der: Buffer | undefined): Certificate {
  if (der === undefined) throw incorrect('there is no certificate');
  return orProblem('incorrectResponse', () => parseCertificate(der));
}

const incorrect = (reason: string): AcmeProblem => new AcmeProblem('incorrectResponse', reason);
