import { AcmeProblem } from '@certloop/contracts';

/** Ports used instead of 80 and 443. */
export interface WebPorts {
  readonly http01Port: number;
  readonly tlsAlpn01Port: number;
}

/**
 * Target of a redirect. Throws `connection` for another scheme than http and https, for credentials in the URL, and for
 * ports other than those of the web: a redirect must not reach more than the client could.
 */
export function redirectTarget(from: URL, location: string, ports: WebPorts): URL {
  if (!URL.canParse(location, from.href)) throw refusal('is not an address');
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal('is neither http nor https');
  if (url.username !== '' || url.password !== '') throw refusal('has credentials');
  // RFC 1035 §2.3.4; problems are stored with their challenge and contain the name
  if (url.hostname.length > 253) throw refusal('has a host name that is too long');
  const usual = url.protocol === 'https:' ? [443, ports.tlsAlpn01Port] : [80, ports.http01Port];
  if (url.port !== '' && !usual.includes(Number(url.port))) throw refusal('has another port');
  // validation selects the port by the scheme only
  url.port = '';
  return url;
}

const refusal = (reason: string): AcmeProblem =>
  new AcmeProblem('connection', `the target of a redirect ${reason}`);
