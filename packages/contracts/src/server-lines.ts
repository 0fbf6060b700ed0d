import { targetProtocols } from './cert-manager/words.js';

/** A server in a list of servers to watch. */
export interface ServerLine {
  /** Its number in the list, from 1. */
  readonly line: number;
  /** Host name or IP address, as it was written. */
  readonly host: string;
  readonly port?: number;
  readonly protocol?: (typeof targetProtocols)[number];
  /** Name of its certificate, if that is not the host. */
  readonly fqdn?: string;
}

/** A line that names no server. */
export interface BadServerLine {
  readonly line: number;
  readonly text: string;
  /** Says what is wrong and what to write. */
  readonly message: string;
}

export interface ServerLines {
  /** Each server once. */
  readonly servers: readonly ServerLine[];
  readonly bad: readonly BadServerLine[];
}

/** Most servers of one list. */
export const maxServerLines = 1000;

/**
 * Reads a list with a server a line, as `HOST[:PORT][/PROTOCOL] [FQDN]`. Blank lines and what follows a `#` are omitted,
 * and so is a server that was named before.
 */
export function readServerLines(text: string): ServerLines {
  const servers = new Map<string, ServerLine>();
  const bad: BadServerLine[] = [];
  for (const [index, whole] of text.split(/\r\n|\r|\n/).entries()) {
    const written = whole.replace(/(^|\s)#.*/, '').trim();
    if (written === '') continue;
    const line = index + 1;
    const read = readServer(written);
    if (typeof read === 'string') bad.push({ line, text: written, message: read });
    else {
      const key = JSON.stringify([
        read.host.toLowerCase(),
        read.port,
        read.protocol,
        read.fqdn?.toLowerCase(),
      ]);
      if (!servers.has(key)) servers.set(key, { line, ...read });
    }
  }
  return { servers: [...servers.values()], bad };
}

const form = 'Write HOST[:PORT][/PROTOCOL], such as mail.example.com:587/smtp.';

/** The server, or why there is none. */
function readServer(written: string): Omit<ServerLine, 'line'> | string {
  const [place = '', fqdn, ...more] = written.split(/\s+/);
  if (more.length > 0)
    return `has ${2 + more.length} words; a line has a server, and perhaps its name. ${form}`;
  const slash = place.indexOf('/');
  if (/^[a-z]+:\/\//i.test(place)) return `is an address of a page, not a server. ${form}`;
  const word = slash === -1 ? undefined : place.slice(slash + 1).toLowerCase();
  const protocol = targetProtocols.find((one) => one === word);
  if (word !== undefined && protocol === undefined)
    return `has the protocol ${JSON.stringify(word)}; choose one of ${targetProtocols.join(', ')}.`;
  const found = splitHost(slash === -1 ? place : place.slice(0, slash));
  if (typeof found === 'string') return found;
  return {
    ...found,
    ...(protocol !== undefined && { protocol }),
    ...(fqdn !== undefined && { fqdn }),
  };
}

function splitHost(text: string): Pick<ServerLine, 'host' | 'port'> | string {
  // an IPv6 address alone has more than one colon
  if (/^[\da-f]*:[\da-f.]*:[\da-f:.]*$/i.test(text)) return { host: text };
  const { v6, name, port } =
    /^(?:\[(?<v6>[\da-f:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>.*))?$/i.exec(text)?.groups ?? {};
  const host = v6 ?? name;
  if (host === undefined) return `has no host. ${form}`;
  const fault = v6 === undefined ? hostFault(host) : undefined;
  if (fault !== undefined) return fault;
  if (port === undefined) return { host };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535)
    return `has the port ${JSON.stringify(port)}; a port is a number from 1 to 65535.`;
  return { host, port: number };
}

// letters beyond ASCII are converted by the service
const label = /^[\p{L}\p{M}\p{N}_-]{1,63}$/u;

function hostFault(host: string): string | undefined {
  if (host.startsWith('*.'))
    return 'is a wildcard, which has no server of its own: name a host that serves it.';
  const labels = host.replace(/\.$/, '').split('.');
  if (host.length <= 253 && labels.every((one) => label.test(one))) return undefined;
  return `has the host ${JSON.stringify(host)}, which is neither a host name nor an IP address. ${form}`;
}
