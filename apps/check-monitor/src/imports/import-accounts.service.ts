import { randomUUID } from 'node:crypto';
import { AppError } from '@certloop/contracts';
import { findRow, type Tx, updateRows } from '@certloop/db';
import { deleteMember } from '../accounts/members.repository.js';
import { normalEmail } from '../projects/create-user.service.js';
import {
  findProjectByBadgeKey,
  findProjectByPingKey,
  insertProject,
  openPingKey,
  type Project,
  pingKeyColumns,
  projects,
} from '../projects/projects.repository.js';
import { findUserByEmail, insertUser, lockOwner } from '../projects/users.repository.js';
import type { DumpRow } from './dump/dump-rows.js';
import { listPingedProjects } from './import.repository.js';
import { importKeys, importMember } from './import-access.service.js';
import type { ImportedProject, ImportRun } from './import-run.js';

/** Rows of users and projects, which come first in a dump and are few. */
export interface AccountRows {
  readonly users: DumpRow<'auth.user'>[];
  readonly profiles: DumpRow<'accounts.profile'>[];
  readonly projects: DumpRow<'accounts.project'>[];
  readonly members: DumpRow<'accounts.member'>[];
  readonly credentials: DumpRow<'accounts.credential'>[];
}

/** Imports users, their projects with keys, and members. */
export async function importAccounts(tx: Tx, run: ImportRun, rows: AccountRows): Promise<void> {
  const users = await importUsers(tx, run, rows);
  for (const ownerId of new Set(rows.projects.flatMap(({ owner }) => users.get(owner) ?? []))) {
    // its count of checks is about to change
    await lockOwner(tx, ownerId);
  }
  const pinged = await pingedProjects(tx, rows);
  const emails = new Map(rows.users.map(({ pk, email }) => [pk, email]));
  for (const row of rows.projects) {
    const ownerId = users.get(row.owner);
    if (ownerId === undefined) {
      run.tally.fault(
        `accounts.project ${row.pk}: owner: user ${row.owner} is not in the dump or has no e-mail address`,
      );
      continue;
    }
    // an unnamed project is shown by the address of its owner there
    const wanted = { ...row, name: row.name.trim() === '' ? (emails.get(row.owner) ?? '') : row.name };
    const project = await importProject(tx, run, wanted, { ownerId, isLive: pinged.has(row.code) });
    if (project !== undefined) run.projects.set(row.pk, project);
  }
  for (const row of rows.members) await importMember(tx, run, row, users);
}

/** Ids of the users by their numbers in the dump; users without an address are absent. */
async function importUsers(tx: Tx, run: ImportRun, rows: AccountRows): Promise<Map<number, string>> {
  const profiles = new Map(rows.profiles.map((profile) => [profile.user, profile]));
  const guarded = new Set(rows.credentials.map(({ user }) => user));
  const ids = new Map<number, string>();
  for (const { pk, email: given, date_joined: createdAt } of rows.users) {
    const email = emailOf(given);
    if (email === undefined) {
      run.tally.leaveBehind(`user ${pk}`, 'has no e-mail address');
      continue;
    }
    const profile = profiles.get(pk);
    const known = await findUserByEmail(tx, email);
    const id = known?.id ?? randomUUID();
    if (run.userIds.has(id)) run.tally.leaveBehind(email, 'several users have this address and become one');
    else run.tally.count('users', known === undefined ? 'created' : 'unchanged');
    if (known === undefined) {
      const limits = { checkLimit: profile?.check_limit ?? null, pingLimit: profile?.ping_log_limit ?? null };
      await insertUser(tx, { id, email, ...limits, checkCount: 0, createdAt });
    }
    ids.set(pk, id);
    run.userIds.add(id);
    if (profile !== undefined) for (const key of [id, email]) run.zones.set(key, profile.tz);
    if (guarded.has(pk) || (profile?.totp ?? '') !== '') {
      run.tally.leaveBehind(email, 'the second factor is not imported');
    }
    if (profile !== undefined && (profile.reports !== 'off' || profile.nag_period > 0)) {
      run.tally.ignore('users had reports or reminders by mail, which check-monitor does not send');
    }
  }
  return ids;
}

function emailOf(text: string): string | undefined {
  try {
    return normalEmail(text);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function pingedProjects(tx: Tx, { projects: rows }: AccountRows): Promise<Set<string>> {
  const pinged = new Set<string>();
  for (let start = 0; start < rows.length; start += 500) {
    const codes = rows.slice(start, start + 500).map(({ code }) => code);
    for (const id of await listPingedProjects(tx, codes)) pinged.add(id);
  }
  return pinged;
}

async function importProject(
  tx: Tx,
  run: ImportRun,
  row: DumpRow<'accounts.project'>,
  { ownerId, isLive }: Pick<ImportedProject, 'ownerId' | 'isLive'>,
): Promise<ImportedProject | undefined> {
  const here = await findRow(tx, projects, { id: row.code });
  const fault = await projectFault(tx, row);
  if (fault !== undefined) {
    run.tally.fault(`accounts.project ${row.pk}: ${fault}`);
    return undefined;
  }
  const { code: id, name, badge_key: badgeKey, ping_key: pingKey } = row;
  if (here === undefined) {
    await insertProject(tx, { id, ownerId, name, badgeKey, pingKey, createdAt: run.now });
    run.tally.count('projects', 'created');
  } else if (isLive) {
    run.tally.count('projects', 'left');
  } else {
    const stored = openPingKey(tx, here);
    const wanted = { ownerId, name, badgeKey };
    const isSameKey = pingKey === null || pingKey === stored;
    const isSame =
      isSameKey && Object.entries(wanted).every(([field, value]) => here[field as keyof Project] === value);
    const keyColumns = isSameKey ? {} : pingKeyColumns(tx, id, pingKey);
    if (!isSame) await updateRows<Project>(tx, projects, { id }, { ...wanted, ...keyColumns });
    run.tally.count('projects', isSame ? 'unchanged' : 'updated');
  }
  if (here !== undefined && !isLive && here.ownerId !== ownerId) {
    // it was transferred there since an earlier import
    await deleteMember(tx, id, ownerId);
    run.formerOwnerIds.add(here.ownerId);
  }
  const stays = here !== undefined && isLive;
  const project = {
    id,
    ownerId: stays ? here.ownerId : ownerId,
    name: stays ? here.name : name,
    isLive,
  };
  await importKeys(tx, run, project, row);
  return project;
}

async function projectFault(tx: Tx, row: DumpRow<'accounts.project'>): Promise<string | undefined> {
  const byPingKey = row.ping_key === null ? undefined : await findProjectByPingKey(tx, row.ping_key);
  if (byPingKey !== undefined && byPingKey.id !== row.code) return 'ping_key: another project here has it';
  const byBadgeKey = await findProjectByBadgeKey(tx, row.badge_key);
  if (byBadgeKey !== undefined && byBadgeKey.id !== row.code) return 'badge_key: another project here has it';
  return undefined;
}
