import { isIP } from 'node:net';

/** A name server by its address. */
export interface NameServer {
  /** IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Server of `address`, `address:port` or `[address]:port`, with port 53 if there is none; undefined for all else. */
export function readNameServer(text: string): NameServer | undefined {
  // the zone of a link-local address means something to one machine only
  if (text.includes('%')) return undefined;
  if (isIP(text) !== 0) return { host: text, port: 53 };
  const [, bracketed, bare, digits = '53'] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? bare ?? '';
  const port = Number(digits);
  const isRight = isIP(host) === (bracketed === undefined ? 4 : 6) && port >= 1 && port <= 65_535;
  return isRight ? { host, port } : undefined;
}

/**
 * Server of `dns://host` or `dns://host:port`, with port 53 if there is none; the host is a name or an IP address, IPv6
 * without brackets. Undefined for all else.
 */
export function readServerUrl(text: string): { readonly host: string; readonly port: number } | undefined {
  // the rules for hosts and ports of http are those of every server
  const url = text.replace(/^dns:/, 'http:');
  if (!/^dns:\/\/[\w.:[\]-]+$/.test(text) || !URL.canParse(url)) return undefined;
  // read from the text, as the parsed address lacks the usual port of http
  const port = Number(/:(\d{1,5})$/.exec(text)?.[1] ?? 53);
  return port === 0 ? undefined : { host: new URL(url).hostname.replace(/^\[|\]$/g, ''), port };
}

/** The server as a resolver of Node takes it. */
export function nameServerText({ host, port }: NameServer): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether a name is a zone's or lies below it; both absolute, in lower case, without the final dot. */
export function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** The name and what it lies below, the longest first, without the root. */
export function selfAndParents(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
