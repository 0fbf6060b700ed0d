import { InvalidInput } from '@certloop/contracts';
import { contextConstructed, contextPrimitive, type DerElement, parseDer, tag } from '../der/der.js';
import { expectTag, Members } from '../der/der-values.js';
import { encode, encodeSequence } from '../der/der-writer.js';
import type { GeneralNames } from './general-names.js';
import { parseIpAddress } from './ip-addresses.js';
import { type DistinguishedName, formatName, listCommonNames, parseName } from './names.js';

/** The names below a base, by their kind; `base` in lower case. */
type Subtree =
  | { readonly kind: 'dnsNames' | 'emailAddresses' | 'uris' | 'directoryNames'; readonly base: string }
  | { readonly kind: 'ipAddresses'; readonly address: Buffer; readonly mask: Buffer; readonly base: string }
  | { readonly kind: 'otherNames'; readonly base: string };

/** The value of nameConstraints (RFC 5280 §4.2.1.10): which names an authority may issue for. */
export interface NameConstraints {
  readonly permitted: readonly Subtree[];
  readonly excluded: readonly Subtree[];
}

/** Names that constraints are applied to. */
export interface ConstrainedNames {
  readonly subject: DistinguishedName;
  readonly subjectAltNames: GeneralNames;
  /** Whether it is an authority: then its common name is not a host name. */
  readonly isCa?: boolean;
}

/** Subtrees that an authority shall be limited to: `dnsNames` with all below them, `cidrs` such as `10.0.0.0/8`. */
export interface PermittedNames {
  readonly dnsNames: readonly string[];
  readonly cidrs: readonly string[];
}

/** The constraints that the octets are. Throws InvalidInput. */
export function parseNameConstraints(value: Buffer): NameConstraints {
  const members = new Members(parseDer(value, 'nameConstraints'), 'nameConstraints');
  const permitted = members.optional(contextConstructed(0))?.children.map(parseSubtree) ?? [];
  const excluded = members.optional(contextConstructed(1))?.children.map(parseSubtree) ?? [];
  members.finish();
  return { permitted, excluded };
}

/**
 * Octets of constraints that permit host names and addresses of the given subtrees alone. A kind without a subtree is
 * excluded as a whole. Throws InvalidInput for an invalid range.
 */
export function encodePermittedNames({ dnsNames, cidrs }: PermittedNames): Buffer {
  const subtree = (base: Buffer) => encodeSequence(base);
  const dns = (name: string) => subtree(encode(contextPrimitive(2), Buffer.from(name, 'latin1')));
  const ip = (octets: Buffer) => subtree(encode(contextPrimitive(7), octets));
  const ranges = cidrs.map(rangeOctets);
  const permitted = [...dnsNames.map(dns), ...ranges.map(ip)];
  const excluded = [
    ...(dnsNames.length === 0 ? [dns('')] : []),
    ...[4, 16]
      .filter((size) => !ranges.some(({ length }) => length === 2 * size))
      .map((size) => ip(Buffer.alloc(2 * size))),
  ];
  return encodeSequence(
    ...(permitted.length === 0 ? [] : [encode(contextConstructed(0), ...permitted)]),
    ...(excluded.length === 0 ? [] : [encode(contextConstructed(1), ...excluded)]),
  );
}

/**
 * Which of the names the constraints refuse, in one sentence; undefined when they allow all. A common name counts as a
 * host name where there is no alternative host name or address, as OpenSSL has it. A wildcard is refused where a name
 * that it covers is excluded.
 */
export function constraintFault(constraints: NameConstraints, names: ConstrainedNames): string | undefined {
  for (const [kind, list] of Object.entries(judgedNames(names)) as [Subtree['kind'], readonly string[]][]) {
    const permitted = constraints.permitted.filter((subtree) => subtree.kind === kind);
    const excluded = constraints.excluded.filter((subtree) => subtree.kind === kind);
    for (const name of list) {
      const text = name.toLowerCase();
      if (excluded.some((subtree) => isWithin(text, subtree) || mayCover(text, subtree))) {
        return `its issuer is not allowed to issue for ${shown(name)}: the name is excluded`;
      }
      if (permitted.length > 0 && !permitted.some((subtree) => isWithin(text, subtree))) {
        const bases = permitted.map(({ base }) => base).slice(0, 5);
        return `its issuer is not allowed to issue for ${shown(name)}, only for ${bases.join(', ')}`;
      }
    }
  }
  return undefined;
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 253));

function judgedNames({
  subject,
  subjectAltNames,
  isCa,
}: ConstrainedNames): Record<Subtree['kind'], readonly string[]> {
  const { dnsNames, ipAddresses, directoryNames } = subjectAltNames;
  const hasHosts = isCa === true || dnsNames.length > 0 || ipAddresses.length > 0;
  const hosts = hasHosts ? dnsNames : listCommonNames(subject).filter((name) => hostName.test(name));
  return {
    ...subjectAltNames,
    dnsNames: hosts,
    directoryNames: subject.length === 0 ? directoryNames : [formatName(subject), ...directoryNames],
  };
}

const hostName = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/;

function isWithin(name: string, subtree: Subtree): boolean {
  const { kind, base } = subtree;
  switch (kind) {
    case 'dnsNames':
      return isBelow(name.replace(/\.$/, ''), base);
    case 'ipAddresses':
      return isInRange(name, subtree);
    case 'emailAddresses':
      return isMailWithin(name, base);
    case 'uris':
      return isHostWithin(hostOf(name), base);
    case 'directoryNames':
      return base === '' || name === base || name.endsWith(`,${base}`);
    case 'otherNames':
      // a kind that cannot be compared here: permitted by none, excluded by each
      return false;
  }
}

/** Labels may be added in front; a base that begins with a dot wants at least one. */
function isBelow(name: string, base: string): boolean {
  if (base === '' || name === base) return true;
  return name.endsWith(base.startsWith('.') ? base : `.${base}`);
}

function mayCover(name: string, { kind, base }: Subtree): boolean {
  if (kind !== 'dnsNames') return kind === 'otherNames';
  if (!name.startsWith('*.')) return false;
  const [, ...above] = base.replace(/^\./, '').split('.');
  return above.join('.') === name.slice(2);
}

function isInRange(text: string, { address, mask }: Extract<Subtree, { kind: 'ipAddresses' }>): boolean {
  const octets = parseIpAddress(text);
  if (octets === undefined || octets.length !== address.length) return false;
  return octets.every((octet, index) => {
    const bits = mask[index] ?? 0;
    return (octet & bits) === ((address[index] ?? 0) & bits);
  });
}

/** A base with @ is one mailbox, one without it a host, and one that begins with a dot all hosts below it. */
function isMailWithin(mailbox: string, base: string): boolean {
  if (base.includes('@')) return mailbox === base;
  return isHostWithin(mailbox.slice(mailbox.lastIndexOf('@') + 1), base);
}

const isHostWithin = (host: string, base: string): boolean =>
  base.startsWith('.') ? host.endsWith(base) : host === base;

const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : '');

function parseSubtree(element: DerElement): Subtree {
  const members = new Members(element, 'a subtree of nameConstraints');
  const base = members.next('the base of a subtree');
  // RFC 5280: minimum is 0, which is omitted, and there is no maximum.
  members.finish();
  const text = base.content.toString('latin1').toLowerCase();
  switch (base.tag) {
    case contextPrimitive(1):
      return { kind: 'emailAddresses', base: text };
    case contextPrimitive(2):
      return { kind: 'dnsNames', base: text };
    case contextPrimitive(6):
      return { kind: 'uris', base: text };
    case contextPrimitive(7):
      return parseRange(base);
    case contextConstructed(4):
      return { kind: 'directoryNames', base: formatName(parseName(onlyChild(base))).toLowerCase() };
    default:
      return { kind: 'otherNames', base: 'names of another kind' };
  }
}

function parseRange(element: DerElement): Subtree {
  const { content } = element;
  if (content.length !== 8 && content.length !== 32) {
    throw element.malformed('a range of addresses is neither 8 nor 32 octets long');
  }
  const half = content.length / 2;
  const [address, mask] = [content.subarray(0, half), content.subarray(half)];
  const bits = [...mask].reduce((sum, octet) => sum + (octet.toString(2).match(/1/g)?.length ?? 0), 0);
  const text = half === 4 ? address.join('.') : (address.toString('hex').match(/..../g) ?? []).join(':');
  return { kind: 'ipAddresses', address, mask, base: `${text}/${bits}` };
}

function onlyChild(element: DerElement): DerElement {
  const [child, ...rest] = element.children;
  if (child === undefined || rest.length > 0)
    throw element.malformed('a directory name is not exactly one name');
  return expectTag(child, tag.sequence, 'a directory name');
}

function rangeOctets(cidr: string): Buffer {
  const [text = '', length = ''] = cidr.split('/');
  const address = parseIpAddress(text);
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (address === undefined || !(bits <= address.length * 8)) {
    throw new InvalidInput(`"${cidr.slice(0, 80)}" is not an address range such as 10.0.0.0/8`, {
      code: 'malformed_name',
    });
  }
  const mask = Buffer.from(
    address.map((_, index) => 0xff << Math.min(8, Math.max(0, 8 * (index + 1) - bits))),
  );
  return Buffer.concat([Buffer.from(address.map((octet, index) => octet & (mask[index] ?? 0))), mask]);
}
