import type { CheckChangeResult } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { assignToChecks, takeFromChecks } from '../../channels/assign-channel.repository.js';
import { lockProjectChannelsForShare } from '../../channels/channels.repository.js';
import type { Check } from '../../checks/check.js';
import { type ChecksDeps, flipRow } from '../../checks/checks.service.js';
import { type OwnChange, plannedChange } from '../../checks/planned-change.js';
import {
  deleteManyChecks,
  lockChecks,
  type NamedCheck,
  updateManyStates,
  updateManyTags,
} from '../../checks/rows/many-checks.repository.js';
import { insertFlips } from '../../flips/flips.repository.js';
import type { Caller } from '../../projects/caller.js';
import { addToCheckCount, lockOwner } from '../../projects/users.repository.js';
import type { CheckSummaries } from './check-summaries.store.js';

export interface ChangeChecksDeps extends ChecksDeps {
  readonly summaries: CheckSummaries;
}

export type Result = CheckChangeResult['results'][number];

/** A change with its parts read. */
export type WantedChange =
  | OwnChange
  | { readonly action: 'delete' }
  | { readonly action: 'add-channels' | 'remove-channels'; readonly channels: readonly string[] };

type Outcomes = ReadonlyMap<string, Pick<Result, 'outcome' | 'reason'>>;

/** Changes checks in one transaction, as they are by then; the outcomes are by uuid, without those of deleted checks. */
export async function changeSome(
  deps: ChangeChecksDeps,
  tx: Tx,
  caller: Caller,
  { batch, wanted }: { readonly batch: readonly NamedCheck[]; readonly wanted: WantedChange },
): Promise<Outcomes> {
  // before its checks, as everywhere
  if (wanted.action === 'delete') await lockOwner(tx, caller.ownerId);
  const ids = batch.map(({ id }) => id);
  const held = await lockChecks(tx, caller.projectId, ids);
  if (wanted.action === 'delete') return deleteSome(tx, caller, held);
  if ('channels' in wanted) return assignSome(tx, caller, held, wanted);
  return changeOwn(deps, tx, held, wanted);
}

async function deleteSome(tx: Tx, { ownerId }: Caller, held: readonly Check[]): Promise<Outcomes> {
  await deleteManyChecks(
    tx,
    held.map(({ id }) => id),
  );
  await addToCheckCount(tx, ownerId, -held.length);
  return new Map(held.map(({ uuid }) => [uuid, { outcome: 'changed' }]));
}

async function assignSome(
  tx: Tx,
  { projectId }: Caller,
  held: readonly Check[],
  { action, channels }: Extract<WantedChange, { readonly channels: unknown }>,
): Promise<Outcomes> {
  const available = await lockProjectChannelsForShare(tx, projectId);
  const channelIds = available.filter(({ uuid }) => channels.includes(uuid)).map(({ id }) => id);
  const checkIds = held.map(({ id }) => id);
  const change = action === 'add-channels' ? assignToChecks : takeFromChecks;
  const changed = await change(tx, checkIds, channelIds);
  return new Map(held.map(({ id, uuid }) => [uuid, { outcome: changed.has(id) ? 'changed' : 'unchanged' }]));
}

async function changeOwn(
  { clock }: ChangeChecksDeps,
  tx: Tx,
  held: readonly Check[],
  wanted: OwnChange,
): Promise<Outcomes> {
  const now = clock.now();
  const plans = held.map((check) => ({ check, planned: plannedChange(check, wanted, now) }));
  const states = plans.flatMap(({ check: { id }, planned }) =>
    'state' in planned ? [{ id, state: planned.state, flip: planned.flip }] : [],
  );
  await updateManyStates(tx, states);
  await insertFlips(
    tx,
    states.flatMap(({ id, flip }) => (flip === undefined ? [] : [flipRow(id, flip)])),
  );
  await updateManyTags(
    tx,
    plans.flatMap(({ check: { id }, planned }) => ('tags' in planned ? [{ id, tags: planned.tags }] : [])),
  );
  return new Map(
    plans.map(({ check, planned }) => [
      check.uuid,
      planned.outcome === 'skipped' ? planned : { outcome: planned.outcome },
    ]),
  );
}
