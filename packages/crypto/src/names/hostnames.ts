import { domainToASCII, domainToUnicode } from 'node:url';

/** The normal form of a host name, or why the text is not a host name. */
export type HostnameReading =
  | { readonly hostname: string; readonly fault?: never }
  | { readonly fault: string; readonly hostname?: never };

/**
 * Reads a host name: letters, digits and hyphens (RFC 1123 §2.1), labels of 1 to 63 characters, at most 253
 * in all (RFC 1035 §2.3.4), international labels by UTS 46, a wildcard as RFC 6125 §6.4.3 allows it.
 * Addresses are not host names, whatever their notation; a single label is one.
 */
export function readHostname(text: string): HostnameReading {
  // Nothing this long has a normal form of 253 characters; longer ones are not worth their mapping.
  if (text.length > 1024) return { fault: tooLong };
  const isWildcard = /^\*[.\u3002\uff0e\uff61]/.test(text);
  const name = asciiForm(isWildcard ? text.slice(2) : text);
  const fault = name === undefined ? notMapped : faultOf(name);
  if (name === undefined || fault !== undefined) return { fault: fault ?? notMapped };
  const hostname = isWildcard ? `*.${name}` : name;
  return hostname.length > 253 ? { fault: tooLong } : { hostname };
}

/**
 * Whether a name of a CSR or certificate stands for the host name (RFC 6125 §6.4): both are the same, or the
 * name is a wildcard and the host name has exactly one label, no wildcard itself, in place of its star.
 */
export function coversHostname(name: string, hostname: string): boolean {
  if (name === hostname) return true;
  if (!name.startsWith('*.') || hostname.startsWith('*.')) return false;
  const dot = hostname.indexOf('.');
  return dot > 0 && hostname.slice(dot) === name.slice(1);
}

const tooLong = 'must be at most 253 characters';
const notMapped = 'is not a valid international name';

/** ASCII form in lower case without the final dot; undefined when an international label has none. */
function asciiForm(text: string): string | undefined {
  // ASCII is left as it is: domainToASCII also decodes %41, cuts at / and makes 1.2.0.3 out of 1.2.3.
  if (isAscii(text)) return withoutFinalDot(text.toLowerCase());
  if (!text.isWellFormed() || hasForeignAscii(text)) return undefined;
  const mapped = domainToASCII(text);
  return mapped === '' ? undefined : withoutFinalDot(mapped);
}

function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** Whether there is an ASCII character that no host name has. */
function hasForeignAscii(text: string): boolean {
  return /\p{ASCII}/u.test(text.replace(/[a-z0-9.-]/gi, ''));
}

/** Why an ASCII name without final dot is not a host name. */
function faultOf(name: string): string | undefined {
  if (name.length > 253) return tooLong;
  if (name.includes('*')) return 'may have a wildcard only as its whole leftmost label';
  if (name.includes(':')) return 'must be a host name, without an address, scheme or port';
  const labels = name.split('.');
  const fault = labels.map(labelFault).find((found) => found !== undefined);
  if (fault !== undefined) return fault;
  // What ends in a number is read as an IPv4 address (URL Standard, "ends in a number").
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'must be a host name, not an address';
  return undefined;
}

function labelFault(label: string): string | undefined {
  if (label === '') return 'must not have empty labels';
  if (label.length > 63) return 'must have labels of at most 63 characters';
  if (label.includes('_')) return 'must not contain underscores';
  if (!/^[a-z0-9-]+$/.test(label)) return 'must consist of letters, digits, hyphens and dots';
  if (isHyphenated(label)) return 'must not have labels that begin or end with a hyphen';
  return label.startsWith('xn--') ? aLabelFault(label) : undefined;
}

function isHyphenated(label: string): boolean {
  return label.startsWith('-') || label.endsWith('-');
}

/** RFC 5890 §2.3.2.1: an A-label is exactly what its own U-label becomes. */
function aLabelFault(label: string): string | undefined {
  const unicode = domainToUnicode(label);
  if (unicode === '' || isAscii(unicode) || domainToASCII(unicode) !== label) return notMapped;
  return isHyphenated(unicode) ? 'must not have labels that begin or end with a hyphen' : undefined;
}
