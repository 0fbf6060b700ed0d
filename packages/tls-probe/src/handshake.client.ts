import type { Socket } from 'node:net';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { ProbeEnded } from './connection.client.js';
import { readSent, type ServedCertificate } from './observation.js';

/** Signature algorithms by which a server can prove a key, by the kind of the key as crypto names it. */
export const signatureAlgorithmsOfKeys: ReadonlyMap<string, string> = new Map([
  ['RSA', 'rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512'],
  ['ECDSA', 'ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512'],
  ['Ed25519', 'ed25519'],
  ['Ed448', 'ed448'],
]);

export interface HandshakeRequest {
  /** Name to ask for (RFC 6066 §3); none for a server that is reached by its address. */
  readonly servername: string | undefined;
  readonly handshakeMs: number;
  /** OpenSSL's list of signature algorithms to offer; all when absent. */
  readonly signatureAlgorithms?: string | undefined;
}

/** Certificates of one handshake over the connection, which is closed then. Rejects with ProbeEnded. */
export function readHandshake(
  socket: Socket,
  { servername, handshakeMs, signatureAlgorithms }: HandshakeRequest,
): Promise<ServedCertificate> {
  return new Promise((resolve, reject) => {
    const tls = connect({
      socket,
      // Without roots of its own, Node adds nothing to what the server sent.
      ca: [],
      rejectUnauthorized: false,
      ...(servername !== undefined && { servername }),
      ...(signatureAlgorithms !== undefined && { sigalgs: signatureAlgorithms }),
    });
    const end = (done: () => void) => {
      clearTimeout(timer);
      tls.destroy();
      socket.destroy();
      done();
    };
    const fail = (ended: ProbeEnded) => end(() => reject(ended));
    const timer = setTimeout(() => fail(new ProbeEnded('timeout', 'timed_out')), handshakeMs);
    // an error may follow once more after the end
    tls.on('error', (error: NodeJS.ErrnoException) => fail(handshakeFault(error)));
    tls.once('close', () => fail(new ProbeEnded('tls', 'connection_closed')));
    tls.once('secureConnect', () => {
      const ders = sentCertificates(tls.getPeerCertificate(true));
      end(() => {
        try {
          resolve(readSent(ders));
        } catch {
          reject(new ProbeEnded('tls', 'certificate_unreadable'));
        }
      });
    });
  });
}

// real chains have at most four
const maxSent = 16;

function sentCertificates(leaf: DetailedPeerCertificate): Buffer[] {
  const ders: Buffer[] = [];
  // a self-signed certificate is its own issuer
  for (
    let next: DetailedPeerCertificate | undefined = leaf;
    next?.raw !== undefined && ders.length < maxSent && !ders.some((der) => der.equals(next?.raw as Buffer));
    next = next.issuerCertificate
  ) {
    ders.push(next.raw);
  }
  return ders;
}

const noTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
]);

function handshakeFault({ code = '' }: NodeJS.ErrnoException): ProbeEnded {
  if (noTls.has(code)) return new ProbeEnded('tls', 'no_tls');
  if (/ALERT|UNRECOGNIZED_NAME/.test(code)) return new ProbeEnded('tls', 'tls_refused');
  if (code === 'ECONNRESET' || code === 'EPIPE') return new ProbeEnded('tls', 'connection_closed');
  return new ProbeEnded('tls', 'tls_failed');
}
