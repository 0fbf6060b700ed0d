import { Conflict, InvalidInput } from '@certloop/contracts';
import { type Database, onUniqueViolation, type Tx } from '@certloop/db';
import type { Clock } from '../instants.js';
import type { Notifier } from '../notifications/notifier.service.js';
import type { Secrets } from '../projects/api-key.js';
import { type DumpRow, type ModelName, type ReadRow, readRow } from './dump-rows.js';
import { findEmailWithoutPassword, recountChecks } from './import.repository.js';
import { type AccountRows, importAccounts } from './import-accounts.service.js';
import { importChecks } from './import-checks.service.js';
import { importFlips } from './import-flips.service.js';
import { type GroupToImport, importGroup, importIntegration } from './import-integrations.service.js';
import { type ImportReport, ImportTally, passwordCommand } from './import-report.js';
import { dumpCommand, type ImportedIntegration, type ImportRun } from './import-run.js';
import { findUndeliverable } from './judge-integrations.service.js';
import { readDump } from './read-dump.client.js';

export interface ImportDeps extends Secrets {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifier: Pick<Notifier, 'judgeTarget' | 'missing'>;
}

export interface ImportOptions {
  readonly file: string;
  /** Do all of it and take it back. */
  readonly isDryRun: boolean;
  /** Leave out the rows that cannot be imported, instead of refusing all. */
  readonly skipsFaulty: boolean;
}

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
        deps.db.transaction(async (tx) => {
          const imported = await importRows(tx, deps, options);
          if (imported.report.outcome !== 'imported') throw new TakenBack(imported);
          return imported;
        }),
      () => new Conflict('nothing was changed: another process wrote the same rows meanwhile. Import again'),
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

const rowsAtOnce = 400;

/**
 * Takes the rows in the order in which dumpdata writes them: users and projects, checks, integrations, flips. A row
 * that refers to a later one is a fault.
 */
class Stages {
  private readonly tx: Tx;
  private readonly run: ImportRun;
  private accounts: AccountRows | undefined = {
    users: [],
    profiles: [],
    projects: [],
    members: [],
    credentials: [],
  };
  private checks: DumpRow<'api.check'>[] = [];
  private flips: DumpRow<'api.flip'>[] = [];
  private hasFaults = false;
  private groups: GroupToImport[] = [];

  constructor(tx: Tx, run: ImportRun) {
    this.tx = tx;
    this.run = run;
  }

  async take(read: ReadRow): Promise<void> {
    switch (read.model) {
      case 'auth.user':
        return void this.accountRows(read.model, read.row.pk)?.users.push(read.row);
      case 'accounts.profile':
        return void this.accountRows(read.model, read.row.pk)?.profiles.push(read.row);
      case 'accounts.project':
        return void this.accountRows(read.model, read.row.pk)?.projects.push(read.row);
      case 'accounts.member':
        return void this.accountRows(read.model, read.row.pk)?.members.push(read.row);
      case 'accounts.credential':
        return void this.accountRows(read.model, read.row.pk)?.credentials.push(read.row);
      case 'api.check':
        this.checks.push(read.row);
        if (this.checks.length === rowsAtOnce) await this.finishChecks();
        return;
      case 'api.channel':
        return this.takeChannel(read.row);
      case 'api.flip':
        this.flips.push(read.row);
        if (this.flips.length === rowsAtOnce) await this.finishFlips();
        return;
      case 'other':
        return this.run.tally.ignore(`rows of ${read.name} are not imported`);
      case 'faulty':
        this.hasFaults = true;
        return this.run.tally.fault(read.fault);
    }
  }

  async end(): Promise<void> {
    await this.finishFlips();
  }

  /** Undefined, and a fault, when they were already imported. */
  private accountRows(model: ModelName, pk: number): AccountRows | undefined {
    if (this.accounts === undefined) this.run.tally.fault(`${model} ${pk}: stands behind rows of api`);
    return this.accounts;
  }

  private async takeChannel(row: DumpRow<'api.channel'>): Promise<void> {
    await this.finishChecks();
    const group = await importIntegration(this.tx, this.run, row);
    if (group !== undefined) this.groups.push(group);
  }

  private async finishAccounts(): Promise<void> {
    const { accounts } = this;
    if (accounts === undefined) return;
    this.accounts = undefined;
    // without faults, whose report says more
    if (accounts.users.length === 0 && !this.hasFaults) {
      throw new InvalidInput(`the dump has no users (auth.user). Write it with: ${dumpCommand}`);
    }
    await importAccounts(this.tx, this.run, accounts);
  }

  private async finishChecks(): Promise<void> {
    await this.finishAccounts();
    const rows = this.checks;
    this.checks = [];
    if (rows.length > 0) await importChecks(this.tx, this.run, rows);
  }

  private async finishFlips(): Promise<void> {
    await this.finishChecks();
    const { groups, flips } = this;
    this.groups = [];
    this.flips = [];
    for (const group of groups) await importGroup(this.tx, this.run, group);
    if (flips.length > 0) await importFlips(this.tx, this.run, flips);
  }
}
