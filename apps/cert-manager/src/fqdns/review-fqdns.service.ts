import type { ReviewedName } from '@certloop/contracts';
import { slicesOf, yieldBetween } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel, spaceNotFound } from '../access/permissions.js';
import type { DbDeps } from '../db-deps.js';
import { type HostnameReading, readHostname } from '../judging/hostname.js';
import { spaceExists } from '../spaces/spaces.repository.js';
import { findFqdnIds } from './fqdns.repository.js';
import { hostnamesIn, type NameFacts, reviewNames } from './name-review.js';
import { describeRefusals } from './policy/policy-refused.js';
import { findRules } from './policy/policy-rules.repository.js';

/** Returns what would become of names if they were added to a space; stores nothing. Throws NotFound and Forbidden. */
export async function reviewFqdns(
  { db }: Pick<DbDeps, 'db'>,
  caller: Caller,
  { spaceId, names }: { readonly spaceId: string; readonly names: readonly string[] },
): Promise<ReviewedName[]> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  const read = await readInTurns(names);
  return db.read(async (tx) => {
    if (!(await spaceExists(tx, spaceId))) throw spaceNotFound();
    const rules = await findRules(tx, spaceId);
    const facts: NameFacts = {
      stored: await findFqdnIds(tx, spaceId, hostnamesIn(names, read)),
      refusalOf: (hostname) => {
        const refusal = rules.refusalOfFqdn(hostname);
        return refusal && describeRefusals([refusal]);
      },
    };
    return reviewNames(names, facts, read);
  });
}

// the longest international names take some 100 microseconds each
const readAtOnce = 50;

/** Readings of the names, made a few at a time so that other requests get their turn. */
async function readInTurns(names: readonly string[]): Promise<typeof readHostname> {
  const readings = new Map<string, HostnameReading>();
  for await (const some of yieldBetween(slicesOf(names, readAtOnce))) {
    for (const name of some) readings.set(name, readHostname(name));
  }
  return (name) => readings.get(name) ?? readHostname(name);
}
