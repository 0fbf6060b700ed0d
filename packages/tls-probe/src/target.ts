import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { InvalidInput } from '@certloop/contracts';

/** A place to connect to. */
export interface Place {
  /** Host name in lower-case ASCII without a final dot, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The place that `HOST`, `HOST:PORT`, `[IPv6]` or `[IPv6]:PORT` names; the usual port where none is given. Throws
 * InvalidInput for anything but a host name or an IP address in its usual spelling: `127.1` and `0x7f.0.0.1` are neither.
 */
export function parsePlace(text: string, usualPort: number): Place {
  const { host = '', port } = splitPlace(text);
  return { host: parseHost(host), port: port === undefined ? usualPort : parsePort(port) };
}

/** A host name in lower-case ASCII or an IP address. Throws InvalidInput. */
export function parseHost(text: string): string {
  if (isIP(text) !== 0 && !text.includes('%')) return text.toLowerCase();
  // domainToASCII drops line breaks, and what follows a slash
  const isPlain = !/[\p{Cc}\s/\\?#@:]/u.test(text);
  const name = isPlain ? domainToASCII(text).replace(/\.$/, '') : '';
  const labels = name.split('.');
  const isAddressInOddSpelling = /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  // the URL rules turn odd spellings into addresses; what was not an address before must be none after
  if (
    name.length > 253 ||
    !labels.every((part) => label.test(part)) ||
    isAddressInOddSpelling ||
    isIP(name) !== 0
  )
    throw new InvalidInput(
      `host: ${JSON.stringify(text)} is neither a host name nor an IP address. Write example.com, 192.0.2.1 or [2001:db8::1].`,
      { code: 'invalid_host' },
    );
  return name;
}

function splitPlace(text: string): { readonly host: string | undefined; readonly port: string | undefined } {
  if (isIP(text) === 6) return { host: text, port: undefined };
  const found = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>[^:/]*))?$/.exec(text)?.groups;
  if (found?.['v6'] !== undefined && isIP(found['v6']) !== 6) return { host: text, port: undefined };
  return { host: found?.['v6'] ?? found?.['name'] ?? text, port: found?.['port'] };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new InvalidInput(`port: ${JSON.stringify(text)} is not a number from 1 to 65535`, {
    code: 'invalid_port',
  });
}
