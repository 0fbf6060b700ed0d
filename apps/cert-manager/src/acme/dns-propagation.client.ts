import { Resolver } from 'node:dns/promises';
import type { DnsProof } from './dns-proof.js';

export interface PropagationTerms {
  /** Servers to ask, as `address` or `address:port`; those of this machine when empty. */
  readonly resolvers: readonly string[];
  readonly timeoutS: number;
  readonly intervalS: number;
}

/**
 * Waits until every resolver shows the record; undefined then, else a sentence after `timeoutS`. A CA may see what
 * is not seen from here, so waiting in vain is no reason to give up.
 */
export async function waitForRecord(
  terms: PropagationTerms,
  pause: (ms: number) => Promise<void>,
  record: DnsProof,
): Promise<string | undefined> {
  const resolvers = resolversOf(terms);
  for (let waitedS = 0; ; waitedS += terms.intervalS) {
    const shown = await Promise.all(resolvers.map((resolver) => isShown(resolver, record)));
    if (shown.every(Boolean)) return undefined;
    if (waitedS + terms.intervalS > terms.timeoutS) {
      return `${record.name} TXT cannot be seen from here after ${waitedS} s`;
    }
    await pause(terms.intervalS * 1000);
  }
}

const queryMs = 5000;

function resolversOf({ resolvers }: PropagationTerms): Resolver[] {
  if (resolvers.length === 0) return [new Resolver({ timeout: queryMs, tries: 1 })];
  return resolvers.map((address) => {
    const resolver = new Resolver({ timeout: queryMs, tries: 1 });
    resolver.setServers([address]);
    return resolver;
  });
}

async function isShown(resolver: Resolver, { name, value }: DnsProof): Promise<boolean> {
  try {
    const records = await resolver.resolveTxt(name);
    return records.some((parts) => parts.join('') === value);
  } catch {
    // no record yet, or no answer: both are reasons to ask again
    return false;
  }
}
