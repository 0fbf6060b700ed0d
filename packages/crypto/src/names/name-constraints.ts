import { InvalidInput } from '@certloop/contracts';
import { contextConstructed, contextPrimitive, type DerElement, parseDer, tag } from '../der/der.js';
import { expectTag, Members } from '../der/der-values.js';
import { encode, encodeSequence } from '../der/der-writer.js';
import { type GeneralNames, noGeneralNames } from './general-names.js';
import { parseIpAddress } from './ip-addresses.js';
import { type DistinguishedName, formatName, listCommonNames, parseName } from './names.js';
import {
  type Comparisons,
  directorySubtrees,
  hostNameSubtrees,
  type JudgedName,
  judgedName,
  mailSubtrees,
  otherSubtrees,
  rangeSubtrees,
  type Subtrees,
  uriSubtrees,
} from './subtrees.js';

type Kind = keyof GeneralNames;

/** In the order in which their faults are reported. */
const kinds = Object.keys(noGeneralNames) as readonly Kind[];

/** The names below a base: text in lower case, or the octets of a range. */
type Subtree =
  | { readonly kind: Exclude<Kind, 'ipAddresses'>; readonly base: string }
  | { readonly kind: 'ipAddresses'; readonly range: Buffer };

interface KindConstraints {
  readonly permitted: Subtrees | undefined;
  readonly excluded: Subtrees | undefined;
  /** The first bases that are permitted, for people. */
  readonly shown: string;
}

/** The value of nameConstraints (RFC 5280 §4.2.1.10): which names an authority may issue for. */
export type NameConstraints = ReadonlyMap<Kind, KindConstraints>;

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
  const present = new Set([...permitted, ...excluded].map(({ kind }) => kind));
  const ordered = kinds.filter((kind) => present.has(kind));
  return new Map(ordered.map((kind) => [kind, kindConstraints(kind, permitted, excluded)]));
}

function kindConstraints(
  kind: Kind,
  permitted: readonly Subtree[],
  excluded: readonly Subtree[],
): KindConstraints {
  const [allowed, refused] = [permitted, excluded].map((list) => list.filter((each) => each.kind === kind));
  const shown = (allowed ?? []).slice(0, 5).map(shownBase).join(', ');
  return { permitted: prepared(kind, allowed), excluded: prepared(kind, refused), shown };
}

function prepared(kind: Kind, list: readonly Subtree[] = []): Subtrees | undefined {
  if (list.length === 0) return undefined;
  if (kind === 'ipAddresses')
    return rangeSubtrees(list.flatMap((each) => ('range' in each ? each.range : [])));
  const bases = [...new Set(list.flatMap((each) => ('base' in each ? each.base : [])))];
  switch (kind) {
    case 'dnsNames':
      return hostNameSubtrees(bases);
    case 'emailAddresses':
      return mailSubtrees(bases);
    case 'uris':
      return uriSubtrees(bases);
    case 'directoryNames':
      return directorySubtrees(bases);
    case 'otherNames':
      return otherSubtrees;
  }
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
 * How many addresses are compared with ranges for one path: a real one has some hundred of each, and each pair takes some
 * ten nanoseconds. Names of the other kinds are looked up, so that they need no bound.
 */
const maxComparisons = 250_000;

/** Judges names by the constraints of a path, and takes those of each certificate apart only once. */
export class ConstraintJudge {
  readonly #comparisons: Comparisons = { left: maxComparisons };
  readonly #judged = new Map<ConstrainedNames, Map<Kind, readonly JudgedName[]>>();

  /**
   * Which of the names the constraints refuse, in one sentence; undefined when they allow all. A common name counts as a
   * host name where there is no alternative host name or address, as OpenSSL has it. A wildcard is refused where a name
   * that it covers is excluded. Names are refused too when there are too many to compare.
   */
  findFault(constraints: NameConstraints, names: ConstrainedNames): string | undefined {
    for (const [kind, each] of constraints) {
      for (const name of this.#namesOf(kind, names)) {
        const fault = this.#faultOf(name, each);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  }

  #faultOf(judged: JudgedName, { permitted, excluded, shown }: KindConstraints): string | undefined {
    const isExcluded = excluded?.has(judged, this.#comparisons) === true || excluded?.isCoveredBy(judged);
    const isPermitted = permitted === undefined || permitted.has(judged, this.#comparisons);
    if (this.#comparisons.left < 0) {
      return `its addresses and the address ranges of its issuers' name constraints make more than ${maxComparisons} pairs to compare`;
    }
    const name = JSON.stringify(judged.name.slice(0, 253));
    if (isExcluded) return `its issuer is not allowed to issue for ${name}: the name is excluded`;
    return isPermitted ? undefined : `its issuer is not allowed to issue for ${name}, only for ${shown}`;
  }

  #namesOf(kind: Kind, names: ConstrainedNames): readonly JudgedName[] {
    const known = this.#judged.get(names) ?? new Map<Kind, readonly JudgedName[]>();
    this.#judged.set(names, known);
    const list = known.get(kind) ?? judgedNames(names, kind).map((name) => judgedName(kind, name));
    known.set(kind, list);
    return list;
  }
}

/** As findFault of ConstraintJudge, for one authority and the names of one certificate. */
export function constraintFault(constraints: NameConstraints, names: ConstrainedNames): string | undefined {
  return new ConstraintJudge().findFault(constraints, names);
}

function judgedNames({ subject, subjectAltNames, isCa }: ConstrainedNames, kind: Kind): readonly string[] {
  const { dnsNames, ipAddresses, directoryNames } = subjectAltNames;
  switch (kind) {
    case 'dnsNames': {
      const hasHosts = isCa === true || dnsNames.length > 0 || ipAddresses.length > 0;
      return hasHosts ? dnsNames : listCommonNames(subject).filter((name) => hostName.test(name));
    }
    case 'directoryNames':
      return subject.length === 0 ? directoryNames : [formatName(subject), ...directoryNames];
    default:
      return subjectAltNames[kind];
  }
}

const hostName = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/;

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
  return { kind: 'ipAddresses', range: content };
}

/** The base for people; at most 253 characters, as long as host names can be. */
function shownBase(subtree: Subtree): string {
  if (!('range' in subtree)) return subtree.base.slice(0, 253);
  const half = subtree.range.length / 2;
  const [address, mask] = [subtree.range.subarray(0, half), subtree.range.subarray(half)];
  const bits = [...mask].reduce((sum, octet) => sum + (octet.toString(2).match(/1/g)?.length ?? 0), 0);
  const text = half === 4 ? address.join('.') : (address.toString('hex').match(/..../g) ?? []).join(':');
  return `${text}/${bits}`;
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
