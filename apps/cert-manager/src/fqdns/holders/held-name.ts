import { readHostname } from '../../judging/hostname.js';

/** The space that holds a name: the first one whose FQDN of exactly that name was issued a certificate. */
export interface NameHolder {
  /** Normal form of the host name. */
  readonly name: string;
  readonly spaceId: string;
  /** The FQDN that was issued the certificate. */
  readonly fqdnId: string;
}

/** Names to look up to decide who holds a name. */
export interface NameLookup {
  /** Names in their normal form, the nearest first: the first of them that has a holder decides. */
  readonly deciding: readonly string[];
  /** The domain of a wildcard, which also stands for every name directly below it. */
  readonly wildcardOf: string | undefined;
}

/** Holders that were found, by name; and for each domain the spaces that hold a name directly below it. */
export interface FoundHolders {
  readonly byName: ReadonlyMap<string, NameHolder>;
  readonly spacesBelow: ReadonlyMap<string, readonly string[]>;
}

/** The name without its first label; empty for a single label. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

// the longest host name, and a dot that shows where its first label begins
const maxTail = 254;
const plainName = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/**
 * Returns the names that decide who holds a name of a CSR: the name itself, the wildcard that stands for it, and the
 * domains above it. A single label such as `com` or `internal` holds no names below it. Undefined for a text that no
 * TLS client takes as a host name, such as `Example Ltd`.
 */
export function nameLookupOf(text: string): NameLookup | undefined {
  const name = readHostname(text).hostname ?? text.toLowerCase().replace(/\.+$/, '');
  if (/[\s\p{C}]/u.test(name)) return undefined;
  const [first = ''] = name.split('.', 1);
  const parent = parentOf(name);
  const isWildcard = first.includes('*');
  const above = domainsOf(parent);
  const sibling = isWildcard || parent === '' ? [] : [`*.${parent}`];
  const deciding = [name, ...sibling, ...above].filter(
    (each) => each.length < maxTail && plainName.test(each),
  );
  return {
    deciding,
    wildcardOf: isWildcard && !parent.includes('*') && plainName.test(parent) ? parent : undefined,
  };
}

/** The name and the domains above it that have at least two labels. */
function domainsOf(name: string): string[] {
  const tail = name.length < maxTail ? name : parentOf(name.slice(-maxTail));
  const domains: string[] = [];
  for (let rest = tail; rest.includes('.'); rest = parentOf(rest)) domains.push(rest);
  return domains;
}

/** A space that holds a name: by this holder or, if it is undefined, by one directly below the domain of a wildcard. */
export interface HoldingSpace {
  readonly spaceId: string;
  readonly holder: NameHolder | undefined;
}

/**
 * Other spaces that hold the name: the one that holds the nearest name that has a holder, and for a wildcard all that hold
 * a name directly below its domain, unless the space holds exactly that wildcard.
 */
export function otherHolders(
  text: string,
  spaceId: string,
  { byName, spacesBelow }: FoundHolders,
): HoldingSpace[] {
  const lookup = nameLookupOf(text);
  if (lookup === undefined) return [];
  const { deciding, wildcardOf } = lookup;
  const nearest = deciding.flatMap((each) => byName.get(each) ?? [])[0];
  const isOwnWildcard = nearest?.name === `*.${wildcardOf}` && nearest.spaceId === spaceId;
  const below = wildcardOf === undefined || isOwnWildcard ? [] : (spacesBelow.get(wildcardOf) ?? []);
  return [
    ...(nearest === undefined ? [] : [{ spaceId: nearest.spaceId, holder: nearest }]),
    ...below.flatMap((id) => (id === nearest?.spaceId ? [] : [{ spaceId: id, holder: undefined }])),
  ].filter((each) => each.spaceId !== spaceId);
}
