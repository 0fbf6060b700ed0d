import type { ReviewedName } from '@certloop/contracts';
import { readHostname } from '../judging/hostname.js';

/** Facts on which the verdict on a name depends, apart from its form. */
export interface NameFacts {
  /** Ids of the FQDNs of the space, by their normal form; at least those that are judged. */
  readonly stored: ReadonlyMap<string, string>;
  /** Why the space may not have a name, in its normal form. */
  readonly refusalOf: (hostname: string) => string | undefined;
}

/** The normal forms of those names that have one. */
export function hostnamesIn(names: readonly string[], read = readHostname): string[] {
  return [...new Set(names.flatMap((name) => read(name).hostname ?? []))];
}

/** Returns what would become of each name if all of them were added to a space, one after the other. */
export function reviewNames(
  names: readonly string[],
  { stored, refusalOf }: NameFacts,
  read = readHostname,
): ReviewedName[] {
  const places = new Map<string, number>();
  return names.map((name, place) => {
    const { hostname, fault } = read(name);
    if (hostname === undefined) return { name, verdict: 'refused', message: fault };
    const first = places.get(hostname);
    if (first !== undefined) {
      const message = `is the same name as number ${first + 1} of the list`;
      return { name, fqdn: hostname, verdict: 'twin', message };
    }
    places.set(hostname, place);
    const fqdnId = stored.get(hostname);
    if (fqdnId !== undefined) {
      return { name, fqdn: hostname, verdict: 'exists', fqdnId, message: 'already exists in this space' };
    }
    const refusal = refusalOf(hostname);
    return refusal === undefined
      ? { name, fqdn: hostname, verdict: 'new' }
      : { name, fqdn: hostname, verdict: 'refused', message: refusal };
  });
}
