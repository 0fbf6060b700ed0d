import {
  Conflict,
  type FqdnChange,
  type FqdnChangeResult,
  InvalidInput,
  maxMatchedFqdns,
} from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { recordAudits } from '../../audit/audit.service.js';
import { type FqdnRow, listFqdnsById, lockFqdns, updateLockedFqdns } from '../../fqdns/fqdns.repository.js';
import {
  fqdnAudit,
  namedProvider,
  type Restate,
  type SwitchRenewalDeps,
  switchOf,
  unknownProvider,
} from '../../fqdns/fqdns.service.js';
import { listRules } from '../../fqdns/space-policies.repository.js';
import type { UpdateFqdnDeps } from '../../fqdns/update-fqdn.service.js';
import { findProvider } from '../../providers/providers.repository.js';
import { lockSpacesForShare } from '../../spaces/spaces.repository.js';
import { currentCaller } from '../../users/callers/current-caller.service.js';
import { readIdPage } from '../lists/fqdn-list.repository.js';
import { filterOf } from '../lists/list-fqdns.service.js';
import { columnsOf, judgeChange, type WantedChange } from './planned-change.js';

export interface ChangeFqdnsDeps
  extends Pick<SwitchRenewalDeps, 'onRenewalsSwitched'>,
    Pick<UpdateFqdnDeps, 'onProviderNamed'> {
  readonly db: Database;
  readonly clock: Clock;
  readonly restate: Restate;
}

/** FQDNs in one transaction: few enough that other writers hardly wait. */
const perTransaction = 100;
const idsPerRead = 500;
const maxSkipped = 100;

type Skipped = FqdnChangeResult['skipped'][number];

/** The result for some of the FQDNs. */
interface Outcome {
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: readonly Skipped[];
}

/**
 * Changes the FQDNs that are named or that match, 100 in each transaction, and returns the result; FQDNs that the
 * caller may not change, or whose policy rejects the provider, are skipped. If the process ends in between, the same
 * call changes the rest. Throws InvalidInput, and Conflict where more than 5000 match.
 */
export async function changeFqdns(
  deps: ChangeFqdnsDeps,
  caller: Caller,
  input: FqdnChange,
): Promise<FqdnChangeResult> {
  requireValidChange(input);
  const { db } = deps;
  const plan = await db.longRead(async (tx) => {
    const { rows, missing } = await findNamed(deps, tx, caller, input);
    const judged = await judge(tx, caller, rows, await plannedChange(tx, input));
    return { ...judged, missing, matched: rows.length + missing.length };
  });
  const { matched, toChange } = plan;
  const outcomes: Outcome[] = [
    { changed: input.dryRun ? toChange.length : 0, unchanged: plan.unchanged, skipped: plan.missing },
    { changed: 0, unchanged: 0, skipped: plan.skipped },
  ];
  for (let start = 0; start < toChange.length && !input.dryRun; start += perTransaction) {
    const rows = toChange.slice(start, start + perTransaction);
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

/** Throws InvalidInput unless it says which FQDNs, and which provider where it names one. */
function requireValidChange({ ids, filter, action, providerId }: FqdnChange): void {
  if ((ids === undefined) === (filter === undefined)) {
    throw refused(ids === undefined ? 'filter' : 'ids', 'name the FQDNs either by ids or by a filter');
  }
  const namesProvider = action === 'set-provider';
  if (namesProvider && providerId === undefined) {
    throw refused('providerId', 'is required with set-provider; null stands for none');
  }
  if (!namesProvider && providerId !== undefined) throw refused('providerId', 'belongs to set-provider only');
}

function refused(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'invalid', message }] });
}

/** What to write, in a transaction that only reads. Throws InvalidInput for an unknown provider. */
async function plannedChange(tx: Tx, { action, providerId = null }: FqdnChange): Promise<WantedChange> {
  if (providerId === null) return { action, provider: undefined };
  const provider = await findProvider(tx, providerId);
  if (provider === undefined) throw unknownProvider();
  return { action, provider };
}

/** The same where it is written: the provider stays until the transaction ends. */
async function wantedChange(tx: Tx, { action, providerId = null }: FqdnChange): Promise<WantedChange> {
  return { action, provider: await namedProvider(tx, providerId) };
}

/** The FQDNs that the caller may read of those that are named or match, and the ids that name none of these. */
async function findNamed(
  { clock }: Pick<ChangeFqdnsDeps, 'clock'>,
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

/** Sorts FQDNs into those to change, unchanged ones and skipped ones. */
async function judge(tx: Tx, caller: Caller, rows: readonly FqdnRow[], wanted: WantedChange) {
  const spaceIds = [...new Set(rows.map(({ spaceId }) => spaceId))];
  const needsRules = wanted.provider !== undefined && spaceIds.length > 0;
  const rules = needsRules ? await listRules(tx, spaceIds) : new Map();
  const toChange: FqdnRow[] = [];
  const skipped: Skipped[] = [];
  let unchanged = 0;
  for (const row of rows) {
    const { id, fqdn, spaceId } = row;
    const canWrite = canOn(caller, spaceId, 'READ_WRITE');
    const verdict = judgeChange(row, wanted, { canWrite, rules: rules.get(spaceId) });
    if (verdict === 'change') toChange.push(row);
    else if (verdict === 'unchanged') unchanged += 1;
    else skipped.push({ id, fqdn, reason: verdict.reason });
  }
  return { toChange, unchanged, skipped };
}

/** Changes FQDNs of the plan in one transaction, as they are by then. */
async function changeSome(
  deps: ChangeFqdnsDeps,
  tx: Tx,
  caller: Caller,
  { rows, input }: { readonly rows: readonly FqdnRow[]; readonly input: FqdnChange },
): Promise<Outcome> {
  // the space before its FQDNs: all transactions lock in this order
  await lockSpacesForShare(tx, [...new Set(rows.map(({ spaceId }) => spaceId))]);
  const wanted = await wantedChange(tx, input);
  const held = await lockFqdns(
    tx,
    rows.map(({ id }) => id),
  );
  // the caller may have lost rights in the meantime
  const now = await currentCaller(tx, caller, deps.clock.now());
  const { toChange, unchanged, skipped } = await judge(tx, now, held, wanted);
  const there = new Set(held.map(({ id }) => id));
  const deleted = rows
    .filter(({ id }) => !there.has(id))
    .map(({ id, fqdn }) => ({ id, fqdn, reason: 'it was deleted' }));
  if (toChange.length > 0) await writeChange(deps, tx, caller, { before: toChange, wanted });
  return { changed: toChange.length, unchanged, skipped: [...skipped, ...deleted] };
}

async function writeChange(
  { clock, restate, onRenewalsSwitched, onProviderNamed }: ChangeFqdnsDeps,
  tx: Tx,
  caller: Caller,
  { before, wanted }: { readonly before: readonly FqdnRow[]; readonly wanted: WantedChange },
): Promise<void> {
  const columns = columnsOf(wanted);
  const ids = before.map(({ id }) => id);
  await updateLockedFqdns(tx, ids, columns);
  const action = wanted.action === 'set-provider' ? 'fqdn.update' : 'fqdn.renewal';
  const acts = before.map((fqdn) => {
    const details = { before: auditedOf(fqdn, action), after: auditedOf({ ...fqdn, ...columns }, action) };
    return { caller, entry: fqdnAudit(action, fqdn, details) };
  });
  await recordAudits(tx, acts, clock.now());
  const switched = before.map((fqdn) => ({
    fqdn: { ...fqdn, ...columns },
    wasEnabled: fqdn.renewalEnabled,
  }));
  // onRenewalsSwitched updates the stored states too
  if (wanted.action !== 'set-provider') return onRenewalsSwitched(tx, caller, switched);
  await onProviderNamed(
    tx,
    caller,
    switched.map(({ fqdn }) => fqdn),
  );
  await restate(tx, ids);
}

function auditedOf(fqdn: FqdnRow, action: 'fqdn.renewal' | 'fqdn.update') {
  return action === 'fqdn.renewal' ? switchOf(fqdn) : { providerId: fqdn.providerId };
}
