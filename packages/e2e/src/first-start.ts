import { randomBytes } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@certloop/db';
import { parseKeyRing, StartFailed } from '@certloop/server';
import { z } from 'zod';
import { type SecretFiles, type StackPlan, sqliteFiles } from './plan.js';
import { ensureSecret } from './secret-files.js';
import { runCommand } from './service-process.js';

/**
 * Makes the folder of a stack and the secrets that its databases do not rely on yet. Throws StartFailed when it cannot,
 * and when a secret that was used is missing, damaged or unreadable.
 */
export async function prepareFolder(dataDir: string): Promise<SecretFiles> {
  try {
    await makeFolder(join(dataDir, 'logs'));
    await makeFolder(join(dataDir, 'secrets'));
    await chmod(join(dataDir, 'secrets'), 0o700);
    const encryptionKeys = join(dataDir, 'secrets', 'encryption-keys');
    const monitorSecret = join(dataDir, 'secrets', 'check-monitor-secret');
    const databases = sqliteFiles(dataDir);
    await ensureSecret({
      file: encryptionKeys,
      make: () => `k1:${randomBytes(32).toString('base64')}\n`,
      isDamaged: isNoKeyRing,
      usedBy: { database: databases.certManager, tables: ['encryption_canaries'] },
    });
    await ensureSecret({
      file: monitorSecret,
      make: () => `${randomBytes(32).toString('base64url')}\n`,
      isDamaged: (content) => content.trim() === '',
      usedBy: { database: databases.checkMonitor, tables: ['encryption_canaries', 'api_keys'] },
    });
    // The folder may be there from before, but of another user.
    await writeFile(join(dataDir, '.writable'), '');
    await rm(join(dataDir, '.writable'));
    return { encryptionKeys, monitorSecret };
  } catch (error) {
    if (error instanceof StartFailed) throw error;
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartFailed(
      `the folder ${dataDir} cannot be written (${reason}); CERTLOOP_DATA_DIR names another`,
      {
        cause: error,
      },
    );
  }
}

function isNoKeyRing(content: string): boolean {
  try {
    parseKeyRing(content, 'cert-manager');
    return content.trim() === '';
  } catch {
    return true;
  }
}

export interface Administrator {
  readonly username: string;
  readonly password: string;
}

/** Makes the stack's administrator, or sets a new password if the account exists. */
export async function makeAdministrator(plan: StackPlan): Promise<Administrator> {
  const username = 'admin';
  const password = randomBytes(18).toString('base64url');
  const file = join(plan.dataDir, 'secrets', 'administrator-password');
  await writeFile(file, password, { mode: 0o600 });
  try {
    await runCommand(
      'cert-manager',
      ['admin', 'ensure', '--username', username, '--email', 'admin@localhost.test', '--password-file', file],
      plan.environments['cert-manager'],
    );
  } finally {
    await rm(file, { force: true });
  }
  return { username, password };
}

const projectKeysSchema = z.object({
  readWriteKey: z.string(),
  readOnlyKey: z.string(),
  pingKey: z.string(),
  canaryKey: z.string().optional(),
});
export type ProjectKeys = z.output<typeof projectKeysSchema>;

/** Owner of the stack's project in the monitor. */
const monitorEmail = 'stack@localhost.test';

export interface MonitorUser {
  readonly email: string;
  readonly password: string;
}

/** Gives the owner of the stack's project, who exists, a new password, so that people can sign in to the monitor. */
export async function makeMonitorPassword(plan: StackPlan): Promise<MonitorUser> {
  const password = randomBytes(18).toString('base64url');
  const command = ['user', 'password', '--email', monitorEmail];
  await runCommand('check-monitor', command, plan.environments['check-monitor'], `${password}\n`);
  return { email: monitorEmail, password };
}

/** Makes the stack's projects in the monitor when they are not there, and new keys for them. */
export async function makeProjectKeys(plan: StackPlan): Promise<ProjectKeys> {
  return setUpProjects(plan, []);
}

/** Makes the project of cert-manager's canary when it does not exist; its new read-write key. */
export async function makeCanaryKey(plan: StackPlan): Promise<string> {
  return (await setUpProjects(plan, ['--project', 'CertLoop canary'])).readWriteKey;
}

async function setUpProjects(plan: StackPlan, named: readonly string[]): Promise<ProjectKeys> {
  const args = ['setup', '--owner', monitorEmail, ...named, '--json'];
  const said = await runCommand('check-monitor', args, plan.environments['check-monitor']);
  return projectKeysSchema.parse(JSON.parse(said));
}
