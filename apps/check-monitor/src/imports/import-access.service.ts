import type { Tx } from '@certloop/db';
import { findRole, replaceMember } from '../accounts/members.repository.js';
import type { MemberRole } from '../accounts/role.js';
import { hashKey, type KeyKind, keyLength } from '../projects/api-key.js';
import { listApiKeys, replaceApiKey } from '../projects/api-keys.repository.js';
import { findProjectByKeyHash } from '../projects/projects.repository.js';
import type { DumpRow } from './dump/dump-rows.js';
import type { ImportedProject, ImportRun } from './import-run.js';

const hashedForm = /^.{8}\.[0-9a-f]{64}$/;

export async function importKeys(
  tx: Tx,
  run: ImportRun,
  project: ImportedProject,
  row: DumpRow<'accounts.project'>,
): Promise<void> {
  const stored = new Map((await listApiKeys(tx, [project.id])).map((key) => [key.kind, key.hash]));
  const given: readonly (readonly [KeyKind, string])[] = [
    ['read-write', row.api_key],
    ['read-only', row.api_key_readonly],
  ];
  run.tally.needFormerSecret(
    project,
    given.filter(([, key]) => hashedForm.test(key)).map(([kind]) => kind),
  );
  for (const [kind, key] of given) {
    if (key === '') continue;
    const what = `${kind} key of ${project.name}`;
    const hash = hashedForm.test(key) ? key : plainHash(key, run.secret);
    if (hash === undefined) {
      run.tally.leaveBehind(
        what,
        `it has not ${keyLength} characters, so that Healthchecks refuses it as well`,
      );
      continue;
    }
    const holder = await findProjectByKeyHash(tx, hash);
    if (holder !== undefined && (holder.id !== project.id || holder.kind !== kind)) {
      run.tally.fault(`accounts.project ${row.pk}: ${kind} key: another project or kind here has it`);
    } else if (stored.get(kind) === hash) {
      run.tally.count('keys', 'unchanged');
    } else if (project.isLive) {
      run.tally.count('keys', 'left');
    } else {
      await replaceApiKey(tx, { projectId: project.id, kind, hash, createdAt: run.now });
      run.tally.count('keys', stored.has(kind) ? 'updated' : 'created');
    }
  }
}

/** A key of before keys were hashed stands there as it is; here only its hash is stored. */
function plainHash(key: string, secret: string): string | undefined {
  return [...key].length === keyLength ? hashKey(key, secret) : undefined;
}

const roles: Readonly<Record<'r' | 'w' | 'm', MemberRole>> = { r: 'read-only', w: 'member', m: 'member' };

export async function importMember(
  tx: Tx,
  run: ImportRun,
  row: DumpRow<'accounts.member'>,
  users: ReadonlyMap<number, string>,
): Promise<void> {
  const project = run.projects.get(row.project);
  const userId = users.get(row.user);
  if (project === undefined || userId === undefined) {
    const [field, number] = project === undefined ? ['project', row.project] : ['user', row.user];
    run.tally.fault(
      `accounts.member ${row.pk}: ${field}: ${field} ${number} is not in the dump or cannot be imported`,
    );
    return;
  }
  if (userId === project.ownerId) return;
  const role = roles[row.role];
  const stored = await findRole(tx, project.id, userId);
  if (row.role === 'm') {
    run.tally.leaveBehind(
      `manager of ${project.name} (member ${row.pk})`,
      'becomes a member: only the owner manages members here',
    );
  }
  if ((row.transfer_request_date ?? null) !== null) {
    run.tally.leaveBehind(`transfer of ${project.name} (member ${row.pk})`, 'the request is not imported');
  }
  if (stored === role) run.tally.count('members', 'unchanged');
  else if (project.isLive) run.tally.count('members', 'left');
  else {
    await replaceMember(tx, { projectId: project.id, userId, role });
    run.tally.count('members', stored === undefined ? 'created' : 'updated');
  }
}
