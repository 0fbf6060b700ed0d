import {
  Conflict,
  type FqdnAction,
  type FqdnChange,
  type FqdnChangeResult,
  type InvalidInput,
  maxMatchedFqdns,
} from '@certloop/contracts';
import { slicesOf, type Tx, yieldBetween } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { unknownProvider } from '../../fqdns/fqdn-provider.service.js';
import { type FqdnRow, listFqdnsById } from '../../fqdns/fqdns.repository.js';
import type { ChangeFqdnDeps } from '../../fqdns/fqdns.service.js';
import { invalidField } from '../../http/problem.js';
import { findProvider } from '../../providers/providers.repository.js';
import { readIdPage } from '../lists/fqdn-list.repository.js';
import { filterOf } from '../lists/list-fqdns.service.js';
import type { WantedChange } from './planned-change.js';
import {
  changeSome,
  judgeFqdns,
  type Outcome,
  perTransaction,
  type Skipped,
} from './write-changes.service.js';

const idsPerRead = 500;
const maxSkipped = 100;

/**
 * Changes the FQDNs that are named or that match, 100 in each transaction, and returns the result; FQDNs that the
 * caller may not change, or whose policy rejects the provider, are skipped. If the process ends in between, the same
 * call changes the rest. Throws InvalidInput, and Conflict where more than 5000 match.
 */
export async function changeFqdns(
  deps: ChangeFqdnDeps,
  caller: Caller,
  input: FqdnChange,
): Promise<FqdnChangeResult> {
  requireValidChange(input);
  const { db } = deps;
  const plan = await db.longRead(async (tx) => {
    const { rows, missing } = await findNamed(deps, tx, caller, input);
    const judged = await judgeFqdns(tx, caller, rows, await plannedChange(tx, input));
    return { ...judged, missing, matched: rows.length + missing.length };
  });
  const { matched, toChange } = plan;
  const outcomes: Outcome[] = [
    { changed: input.dryRun ? toChange.length : 0, unchanged: plan.unchanged, skipped: plan.missing },
    { changed: 0, unchanged: 0, skipped: plan.skipped },
  ];
  for await (const rows of yieldBetween(input.dryRun ? [] : slicesOf(toChange, perTransaction))) {
    outcomes.push(await db.longTransaction((tx) => changeSome(deps, tx, caller, { rows, input })));
  }
  return {
    matched,
    changed: sumOf(outcomes.map(({ changed }) => changed)),
    unchanged: sumOf(outcomes.map(({ unchanged }) => unchanged)),
    skipped: outcomes.flatMap(({ skipped }) => skipped).slice(0, maxSkipped),
  };
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** Members that belong to an action, by their names; each is required with it. */
const memberOf: Partial<Record<FqdnAction, 'providerId' | 'owner' | 'tags'>> = {
  'set-provider': 'providerId',
  'set-owner': 'owner',
  'add-tags': 'tags',
  'remove-tags': 'tags',
};

/** Throws InvalidInput unless it says which FQDNs, and has the value of its action and no other. */
function requireValidChange({ ids, filter, action, ...values }: FqdnChange): void {
  if ((ids === undefined) === (filter === undefined)) {
    throw refused(ids === undefined ? 'filter' : 'ids', 'name the FQDNs either by ids or by a filter');
  }
  for (const name of ['providerId', 'owner', 'tags'] as const) {
    const belongs = memberOf[action] === name;
    const given = values[name] !== undefined;
    const hint = name === 'tags' ? '' : '; null stands for none';
    if (belongs && !given) throw refused(name, `is required with ${action}${hint}`);
    const owners = Object.entries(memberOf).flatMap(([each, member]) => (member === name ? [each] : []));
    if (!belongs && given) throw refused(name, `belongs to ${owners.join(' and ')} only`);
  }
}

function refused(path: string, message: string): InvalidInput {
  return invalidField(path, message, 'invalid');
}

/** Returns the change to write, in a transaction that only reads. Throws InvalidInput for an unknown provider. */
async function plannedChange(tx: Tx, change: FqdnChange): Promise<WantedChange> {
  const { action, providerId = null, owner, tags } = change;
  if (providerId === null) return { action, owner, tags };
  const provider = await findProvider(tx, providerId);
  if (provider === undefined) throw unknownProvider();
  return { action, provider };
}

/** The FQDNs that the caller may read of those that are named or match, and the ids that name none of these. */
async function findNamed(
  { clock }: Pick<ChangeFqdnDeps, 'clock'>,
  tx: Tx,
  caller: Caller,
  { ids, filter }: FqdnChange,
): Promise<{ readonly rows: readonly FqdnRow[]; readonly missing: readonly Skipped[] }> {
  if (ids !== undefined) {
    const found = await listFqdnsById(tx, [...new Set(ids)]);
    const rows = found.filter(({ spaceId }) => canOn(caller, spaceId, 'READ'));
    const known = new Set(rows.map(({ id }) => id));
    const reason = 'there is no such FQDN, or you may not see it';
    const missing = [...new Set(ids)].filter((id) => !known.has(id)).map((id) => ({ id, reason }));
    return { rows, missing };
  }
  const window = { sort: 'createdAt', limit: maxMatchedFqdns, after: undefined } as const;
  const page = await readIdPage(tx, filterOf(caller, filter ?? {}), window, clock.now());
  if (page.hasMore) {
    const message = `${page.total} FQDNs match, and one call changes at most ${maxMatchedFqdns}; narrow the filter`;
    throw new Conflict(message, { code: 'too_many', title: 'Too many FQDNs' });
  }
  const rows: FqdnRow[] = [];
  for (let start = 0; start < page.rows.length; start += idsPerRead) {
    const some = page.rows.slice(start, start + idsPerRead).map(({ id }) => id);
    rows.push(...(await listFqdnsById(tx, some)));
  }
  return { rows, missing: [] };
}
