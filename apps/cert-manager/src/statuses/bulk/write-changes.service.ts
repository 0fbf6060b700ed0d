import type { FqdnChange, FqdnChangeResult } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { recordAudits } from '../../audit/audit.service.js';
import { updateLockedFqdns } from '../../fqdns/fqdn-changes.repository.js';
import { namedProvider } from '../../fqdns/fqdn-provider.service.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { type ChangeFqdnDeps, fqdnAudit } from '../../fqdns/fqdns.service.js';
import { listRules } from '../../fqdns/policy/policy-rules.repository.js';
import { switchOf } from '../../fqdns/renewal-switch.service.js';
import { lockSpacesForShare } from '../../spaces/spaces.repository.js';
import { currentCaller } from '../../users/callers/current-caller.service.js';
import { columnsOf, judgeChange, type WantedChange } from './planned-change.js';

/** FQDNs in one transaction: few enough that other writers hardly wait. */
export const perTransaction = 100;

export type Skipped = FqdnChangeResult['skipped'][number];

/** The result for some of the FQDNs. */
export interface Outcome {
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: readonly Skipped[];
}

/** As `plannedChange` of change-fqdns.service.ts, but the provider is locked: it stays until the transaction ends. */
async function wantedChange(tx: Tx, { action, providerId = null }: FqdnChange): Promise<WantedChange> {
  return { action, provider: await namedProvider(tx, providerId) };
}

/** Sorts FQDNs into those to change, unchanged ones and skipped ones. */
export async function judgeFqdns(tx: Tx, caller: Caller, rows: readonly FqdnRow[], wanted: WantedChange) {
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
export async function changeSome(
  deps: ChangeFqdnDeps,
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
  const { toChange, unchanged, skipped } = await judgeFqdns(tx, now, held, wanted);
  const there = new Set(held.map(({ id }) => id));
  const deleted = rows
    .filter(({ id }) => !there.has(id))
    .map(({ id, fqdn }) => ({ id, fqdn, reason: 'it was deleted' }));
  if (toChange.length > 0) await writeChange(deps, tx, caller, { before: toChange, wanted });
  return { changed: toChange.length, unchanged, skipped: [...skipped, ...deleted] };
}

async function writeChange(
  { clock, emit }: ChangeFqdnDeps,
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
  const changes = before.map((fqdn) => ({
    fqdn: { ...fqdn, ...columns },
    wasEnabled: fqdn.renewalEnabled,
  }));
  if (wanted.action === 'set-provider') await emit.providerChanged(tx, { caller, changes });
  else await emit.renewalSwitched(tx, { caller, changes });
}

function auditedOf(fqdn: FqdnRow, action: 'fqdn.renewal' | 'fqdn.update') {
  return action === 'fqdn.renewal' ? switchOf(fqdn) : { providerId: fqdn.providerId };
}
