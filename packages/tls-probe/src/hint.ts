import type { Class, Verdict } from './classify.js';
import type { Observation, ProbeFault } from './observation.js';

/** The certificate that should be served. */
export interface NewestCertificate {
  readonly serialNumber: string;
  /** When it was issued, where that is known. */
  readonly issuedAt?: Date;
}

/** Findings at a place, in plain facts. */
export type FoundFacts =
  | { readonly class: 'unreachable'; readonly fault: ProbeFault }
  | {
      readonly class: Exclude<Class, 'unreachable'>;
      readonly serialNumber: string;
      readonly notBefore: Date;
      readonly notAfter: Date;
      /** Why the chain is at fault. */
      readonly reason?: string | undefined;
    };

/** One sentence or two for people: what is served at the place, and what to do. Holds no words of the server but its names. */
export function hintOf(
  place: string,
  verdict: Verdict,
  observation: Observation,
  newest?: NewestCertificate,
): string {
  if (!('served' in observation))
    return describeFound(place, { class: 'unreachable', fault: observation.fault }, newest);
  const { leaf } = verdict.served ?? observation.served[0];
  const { serialNumber, notBefore, notAfter } = leaf;
  // what was served is never unreachable
  const found = verdict.class as Exclude<Class, 'unreachable'>;
  return describeFound(
    place,
    { class: found, serialNumber, notBefore, notAfter, reason: verdict.reason },
    newest,
  );
}

/** The same from the facts that were stored. */
export function describeFound(place: string, found: FoundFacts, newest?: NewestCertificate): string {
  if (found.class === 'unreachable') return `${place}: ${faultHints[found.fault]}`;
  const { serialNumber, notBefore, notAfter, reason } = found;
  const serves = `${place} serves certificate ${serialNumber}`;
  const ours = newest?.serialNumber ?? 'ours';
  const issued = newest?.issuedAt === undefined ? 'is newer' : `was issued on ${day(newest.issuedAt)}`;
  switch (found.class) {
    case 'expired':
      return `${serves}, which expired on ${day(notAfter)}: install ${newest === undefined ? 'a newer one' : ours} and reload the server.`;
    case 'not_yet_valid':
      return `${serves}, which is valid from ${day(notBefore)} on: check the clock, or install one that is valid.`;
    case 'name_mismatch':
      return `${serves}, which does not cover the name: configure the server to serve ${ours} for this name.`;
    case 'chain_incomplete':
      return `${serves}, the newest, without the whole chain (${reason}): install the full chain.`;
    case 'current':
      return `${serves}, the newest.`;
    case 'previous':
      return `${serves}, an earlier one; ${ours} ${issued}: reload the server.`;
    case 'stale':
      return `${place} still serves certificate ${serialNumber}, which ends on ${day(notAfter)}; ${ours} ${issued}: install it and reload the server.`;
    case 'reissued_elsewhere':
      return `${serves}, which has our key and was issued elsewhere: find out who requested it, or install ${ours}.`;
    case 'foreign':
      return `${serves}, which is not ours: install ${ours}, or correct the target.`;
    case 'untrusted':
      return `${serves}, which leads to no trusted root (${reason}): install the intermediates, or add a private root to the trusted ones.`;
    default:
      return `${serves}, which is valid until ${day(notAfter)}.`;
  }
}

const day = (instant: Date) => instant.toISOString().slice(0, 10);

const faultHints: Readonly<Record<ProbeFault, string>> = {
  name_not_found: 'the name has no address: correct the name or its DNS records.',
  look_up_failed: 'the name could not be looked up: check the name servers.',
  address_not_allowed: 'this address may not be probed: allow its network.',
  port_not_allowed: 'this port may not be probed: allow it.',
  connection_refused: 'the connection was refused: nothing listens there, or a firewall rejects it.',
  no_route: 'there is no route to the address.',
  connection_failed: 'the connection failed.',
  connection_closed: 'the server closed the connection before it sent a certificate.',
  wrong_protocol: 'the server does not speak this protocol: check port and protocol.',
  starttls_not_offered: 'the server does not offer STARTTLS: switch TLS on in the server.',
  starttls_refused: 'the server refused STARTTLS: check its certificate and key.',
  too_many_bytes: 'the server sent more than 4 KiB before TLS.',
  bytes_before_tls: 'the server sent more than the protocol allows before TLS.',
  no_tls: 'the server does not speak TLS on this port: check the port, or whether STARTTLS is needed.',
  tls_refused: 'the server refused the handshake: it may have no certificate for this name.',
  tls_failed: 'the TLS handshake failed: no version or cipher in common, or a broken certificate.',
  certificate_unreadable: 'the server sent a certificate that cannot be read.',
  timed_out: 'no answer in time: the server hangs, or a firewall drops packets.',
};
