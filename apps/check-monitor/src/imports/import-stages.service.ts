import { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import type { Notifier } from '../notifications/notifier.service.js';
import type { Secrets } from '../projects/api-key.js';
import type { DumpRow, ModelName, ReadRow } from './dump/dump-rows.js';
import { type AccountRows, importAccounts } from './import-accounts.service.js';
import { importChecks } from './import-checks.service.js';
import { importFlips } from './import-flips.service.js';
import { type GroupToImport, importGroup, importIntegration } from './import-integrations.service.js';
import { dumpCommand, type ImportRun } from './import-run.js';

export interface ImportDeps extends Secrets, DbDeps {
  readonly notifier: Pick<Notifier, 'refusalOfTarget' | 'missing'>;
}

export interface ImportOptions {
  readonly file: string;
  /** Do all of it and take it back. */
  readonly isDryRun: boolean;
  /** Leave out the rows that cannot be imported, instead of refusing all. */
  readonly skipsFaulty: boolean;
}

/** Few enough that what runs between two statements takes some milliseconds. */
const rowsAtOnce = 100;

/**
 * Takes the rows in the order in which dumpdata writes them: users and projects, checks, integrations, flips. A row
 * that refers to a later one is a fault.
 */
export class Stages {
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
    if (this.accounts === undefined) this.run.tally.fault(`${model} ${pk}: comes after rows of api`);
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
