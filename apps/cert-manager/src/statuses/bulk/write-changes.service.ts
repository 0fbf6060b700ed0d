import type { FqdnChange, FqdnChangeResult } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { recordAudits } from '../../audit/audit.service.js';
import { updateLockedFqdns } from '../../fqdns/fqdn-changes.repository.js';
import { namedProvider } from '../../fqdns/fqdn-provider.service.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { type ChangeFqdnDeps, fqdnAudit } from '../../fqdns/fqdns.service.js';
import { labelsView } from '../../fqdns/labels.js';
import { listRules } from '../../fqdns/policy/policy-rules.repository.js';
import { switchOf } from '../../fqdns/renewal-switch.service.js';
import { lockSpacesForShare } from '../../spaces/spaces.repository.js';
import { currentCaller } from '../../users/callers/current-caller.service.js';
import { columnsOf, judgeChange, type WantedChange, type WrittenColumns } from './planned-change.js';

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
async function wantedChange(
  tx: Tx,
  { action, providerId = null, owner, tags }: FqdnChange,
): Promise<WantedChange> {
  return { action, provider: await namedProvider(tx, providerId), owner, tags };
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
  const changed = before.map((fqdn) => ({ fqdn, columns: columnsOf(fqdn, wanted) }));
  // one statement for all that get the same
  for (const { columns, ids } of sameColumns(changed)) await updateLockedFqdns(tx, ids, columns);
  const isSwitch = wanted.action === 'renewal-on' || wanted.action === 'renewal-off';
  const action = isSwitch ? 'fqdn.renewal' : 'fqdn.update';
  const acts = changed.map(({ fqdn, columns }) => {
    const after = { ...fqdn, ...columns };
    const details = { before: auditedOf(fqdn, wanted), after: auditedOf(after, wanted) };
    return { caller, entry: fqdnAudit(action, fqdn, details) };
  });
  await recordAudits(tx, acts, clock.now());
  const changes = changed.map(({ fqdn, columns }) => ({
    fqdn: { ...fqdn, ...columns },
    wasEnabled: fqdn.renewalEnabled,
  }));
  if (isSwitch) await emit.renewalSwitched(tx, { caller, changes });
  else if (wanted.action === 'set-provider') await emit.providerChanged(tx, { caller, changes });
  else await emit.descriptionChanged(tx, { changes });
}

function sameColumns(changed: readonly { readonly fqdn: FqdnRow; readonly columns: WrittenColumns }[]) {
  const groups = new Map<string, { readonly columns: WrittenColumns; readonly ids: string[] }>();
  for (const { fqdn, columns } of changed) {
    const key = JSON.stringify(columns);
    const group = groups.get(key) ?? { columns, ids: [] };
    group.ids.push(fqdn.id);
    groups.set(key, group);
  }
  return groups.values();
}

function auditedOf(fqdn: FqdnRow, { action }: WantedChange) {
  if (action === 'set-provider') return { providerId: fqdn.providerId };
  return action === 'renewal-on' || action === 'renewal-off' ? switchOf(fqdn) : labelsView(fqdn);
}
