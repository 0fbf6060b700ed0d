import { AcmeProblem } from '@certloop/contracts';

/** Ports that stand for 80 and 443. */
export interface WebPorts {
  readonly http01Port: number;
  readonly tlsAlpn01Port: number;
}

/**
 * Where a redirect leads. Throws `connection` for another scheme than http and https, for credentials in the
 * address, and for other ports than those of the web: a redirect must not reach what an applicant could not.
 */
export function redirectTarget(from: URL, location: string, ports: WebPorts): URL {
  if (!URL.canParse(location, from.href)) throw refusal('is no address');
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal('is neither http nor https');
  if (url.username !== '' || url.password !== '') throw refusal('has credentials');
  // RFC 1035 §2.3.4; names in problems are stored with their challenge.
  if (url.hostname.length > 253) throw refusal('has a host name that is too long');
  const usual = url.protocol === 'https:' ? [443, ports.tlsAlpn01Port] : [80, ports.http01Port];
  if (url.port !== '' && !usual.includes(Number(url.port))) throw refusal('has another port');
  // Validation decides the port by the scheme alone.
  url.port = '';
  return url;
}

const refusal = (reason: string): AcmeProblem =>
  new AcmeProblem('connection', `the target of a redirect ${reason}`);
