import { Conflict } from '@certloop/contracts';
import { onUniqueViolation, type Tx } from '@certloop/db';
import { labelOf } from '../integrations/channel-kinds.js';
import { targetsOf } from '../integrations/channel-targets.js';
import type { ChannelKind } from '../integrations/kinds.js';
import type { Notifier } from '../notifications/notifier.service.js';
import { readRow } from './dump/dump-rows.js';
import { readDump } from './dump/read-dump.client.js';
import { findEmailWithoutPassword, recountChecks } from './import.repository.js';
import { type ImportReport, ImportTally, type NotCarriedOver } from './import-report.js';
import type { ImportedIntegration, ImportRun } from './import-run.js';
import { type ImportDeps, type ImportOptions, Stages } from './import-stages.service.js';
import { passwordCommand } from './import-text.js';

/**
 * Imports what `manage.py dumpdata` of Healthchecks wrote, in one transaction. It may be run again: what was never
 * pinged here is brought to what the dump says, what was pinged here stays. Throws InvalidInput for a file that is not a
 * dump, or has no users, and Conflict when another process wrote the same rows at the same time.
 */
export async function importDump(deps: ImportDeps, options: ImportOptions): Promise<ImportReport> {
  const { report, integrations } = await importOrTakeBack(deps, options);
  return { ...report, undeliverable: await findUndeliverable(deps.notifier, integrations) };
}

interface Imported {
  readonly report: ImportReport;
  readonly integrations: readonly ImportedIntegration[];
}

async function importOrTakeBack(deps: ImportDeps, options: ImportOptions): Promise<Imported> {
  try {
    return await onUniqueViolation(
      () =>
        deps.db.longTransaction(async (tx) => {
          const imported = await importRows(tx, deps, options);
          if (imported.report.outcome !== 'imported') throw new TakenBack(imported);
          return imported;
        }),
      () =>
        new Conflict(
          'nothing was changed, because another process wrote the same rows at the same time: import again',
        ),
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.imported;
    throw error;
  }
}

/** Ends the transaction without its changes. */
class TakenBack extends Error {
  readonly imported: Imported;

  constructor(imported: Imported) {
    super(imported.report.outcome);
    this.imported = imported;
  }
}

async function importRows(tx: Tx, deps: ImportDeps, options: ImportOptions): Promise<Imported> {
  const { secret, formerSecret } = deps;
  const run: ImportRun = {
    now: deps.clock.now(),
    secret,
    tally: new ImportTally(),
    integrations: [],
    projects: new Map(),
    checks: new Map(),
    idleCheckIds: new Set(),
    formerOwnerIds: new Set(),
    userIds: new Set(),
    zones: new Map(),
  };
  const stages = new Stages(tx, run);
  for await (const elements of readDump(options.file)) {
    for (const element of elements) await stages.take(readRow(element));
  }
  await stages.end();
  const ownerIds = [...run.projects.values()].map((project) => project.ownerId);
  for (const ownerId of new Set([...run.formerOwnerIds, ...ownerIds])) {
    await recountChecks(tx, ownerId);
  }
  const isRefused = run.tally.hasFaults && !options.skipsFaulty;
  const report = run.tally.report(isRefused ? 'refused' : options.isDryRun ? 'dry run' : 'imported', {
    hasFormerSecret: formerSecret !== undefined,
    withoutPassword: await listWithoutPassword(tx, run),
    silentChecks: [...run.checks.values()]
      .filter(({ state, wanted, assigned }) => state !== 'live' && wanted > 0 && assigned === 0)
      .map(({ uuid, name, project }) => ({ uuid, name, project: project.name })),
  });
  return { report, integrations: run.integrations };
}

async function listWithoutPassword(tx: Tx, { userIds }: ImportRun): Promise<ImportReport['withoutPassword']> {
  const found: { email: string; command: string }[] = [];
  for (const id of userIds) {
    const email = await findEmailWithoutPassword(tx, id);
    if (email !== undefined) found.push({ email, command: passwordCommand(email) });
  }
  return found;
}

/** Hosts that are looked up at the same time. */
const judgedAtOnce = 16;

/**
 * Integrations that would send nothing from here, and what makes them send: their kind is not set up, or an address
 * is one that is not called. Looks up hosts, so never inside a transaction.
 */
async function findUndeliverable(
  notifier: Pick<Notifier, 'refusalOfTarget' | 'missing'>,
  integrations: readonly ImportedIntegration[],
): Promise<NotCarriedOver[]> {
  const targets = integrations.flatMap(({ title, kind, settings }) =>
    targetsOf(kind, settings).map(({ path, url }) => ({ what: title, path, url })),
  );
  const refusals = await judgeOrigins(notifier, new Set(targets.map(({ url }) => new URL(url).origin)));
  const refused = targets.flatMap(({ what, path, url }) => {
    const refusal = refusals.get(new URL(url).origin);
    return refusal === undefined ? [] : [{ what, reason: `${path}: ${refusal}` }];
  });
  return [...missingKinds(notifier, integrations), ...refused];
}

async function judgeOrigins(
  notifier: Pick<Notifier, 'refusalOfTarget'>,
  origins: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const refusals = new Map<string, string>();
  const left = [...origins];
  while (left.length > 0) {
    const judged = left.splice(0, judgedAtOnce).map(async (origin) => {
      const refusal = await notifier.refusalOfTarget(origin);
      if (refusal !== undefined) refusals.set(origin, refusal);
    });
    await Promise.all(judged);
  }
  return refusals;
}

/** One line a kind. */
function missingKinds(
  notifier: Pick<Notifier, 'missing'>,
  integrations: readonly ImportedIntegration[],
): NotCarriedOver[] {
  const counts = new Map<ChannelKind, number>();
  for (const { kind } of integrations) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].flatMap(([kind, count]) => {
    const missing = notifier.missing(kind);
    if (missing === undefined) return [];
    return [
      {
        what: `${count} of kind ${kind}`,
        reason: `${labelOf(kind)} is not set up here: ${missing}`,
      },
    ];
  });
}
