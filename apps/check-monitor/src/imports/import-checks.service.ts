import type { Tx } from '@certloop/db';
import type { Check } from '../checks/check.js';
import { stateColumns } from '../checks/rows/check-states.repository.js';
import { insertChecks, updateCheck } from '../checks/rows/checks.repository.js';
import { checkOf, isNewerState, type NewCheck } from './dump/dump-check.js';
import type { DumpRow } from './dump/dump-rows.js';
import {
  type ExistingCheck,
  findBadgeHolders,
  findCheckIds,
  lockExistingChecks,
} from './import.repository.js';
import type { ImportedProject, ImportRun } from './import-run.js';

interface Candidate {
  readonly pk: number;
  readonly check: NewCheck;
  readonly project: ImportedProject;
}

/** Imports some checks with their counts, last pings and status. What was pinged here stays as it is. */
export async function importChecks(
  tx: Tx,
  run: ImportRun,
  rows: readonly DumpRow<'api.check'>[],
): Promise<void> {
  const candidates = rows.flatMap((row) => candidateOf(run, row));
  const known = await lockExistingChecks(
    tx,
    candidates.map(({ check }) => check.uuid),
  );
  const holders = await findBadgeHolders(
    tx,
    candidates.map(({ check }) => check.badgeUuid),
  );
  const valid = candidates.filter(({ pk, check }) => {
    const here = known.get(check.uuid);
    const holder = holders.get(check.badgeUuid);
    if (here !== undefined && here.projectId !== check.projectId) {
      run.tally.fault(`api.check ${pk}: code: a check of another project here has it`);
    } else if (holder !== undefined && holder !== check.uuid) {
      run.tally.fault(`api.check ${pk}: badge_key: another check here has it`);
    } else return true;
    return false;
  });
  const added = valid.filter(({ check }) => !known.has(check.uuid)).map(({ check }) => check);
  await insertChecks(tx, added);
  run.tally.count('checks', 'created', added.length);
  const ids = await findCheckIds(
    tx,
    added.map(({ uuid }) => uuid),
  );
  for (const { pk, check, project } of valid) {
    const here = known.get(check.uuid);
    const id = here?.id ?? ids.get(check.uuid);
    if (id === undefined) throw new Error(`check ${check.uuid} was not inserted`);
    const state = here === undefined ? 'new' : here.isPinged ? 'live' : 'known';
    const { uuid, name } = check;
    run.checks.set(pk, { id, uuid, name, project, state, wanted: 0, assigned: 0 });
    if (state === 'known') run.idleCheckIds.add(id);
    if (here !== undefined) await refreshCheck(tx, run, here, check);
  }
}

function candidateOf(run: ImportRun, row: DumpRow<'api.check'>): Candidate[] {
  const project = run.projects.get(row.project);
  const check = project === undefined ? undefined : checkOf(row, project.id);
  if (project === undefined || check === undefined) {
    run.tally.fault(
      `api.check ${row.pk}: project: project ${row.project} is not in the dump or cannot be imported`,
    );
    return [];
  }
  if ('fault' in check) {
    run.tally.fault(`api.check ${row.pk}: ${check.fault}`);
    return [];
  }
  return [{ pk: row.pk, check, project }];
}

/** Brings a check that is here, but was never pinged here, to what the dump says. */
async function refreshCheck(tx: Tx, run: ImportRun, here: ExistingCheck, dumped: NewCheck): Promise<void> {
  if (here.isPinged) return run.tally.count('checks', 'left');
  const takesState = isNewerState(dumped, here);
  const entries = Object.entries(dumped).filter(
    ([name, value]) => (takesState || !(name in stateColumns)) && here[name as keyof Check] !== value,
  );
  if (entries.length > 0) await updateCheck(tx, here.id, Object.fromEntries(entries));
  run.tally.count('checks', entries.length === 0 ? 'unchanged' : 'updated');
}
