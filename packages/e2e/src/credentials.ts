import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartFailed } from '@certloop/server';
import { z } from 'zod';
import { readIfThere } from './secret-files.js';

export const credentialsSchema = z.object({
  certManager: z.object({
    url: z.string(),
    /** Absent in files of earlier versions. */
    httpsUrl: z.string().optional(),
    username: z.string(),
    password: z.string(),
    token: z.string(),
  }),
  checkMonitor: z.object({
    url: z.string(),
    readWriteKey: z.string(),
    readOnlyKey: z.string(),
    pingKey: z.string(),
    /** Read-write key of the project of cert-manager's canary; absent in files of earlier versions. */
    canaryKey: z.string().optional(),
    // absent in files of before there was a console
    email: z.string().optional(),
    password: z.string().optional(),
  }),
  dummyCa: z.object({ url: z.string(), httpsUrl: z.string().optional(), rootFile: z.string().optional() }),
});

/** Addresses and credentials of a running stack, as they stand in `credentials.json`. */
export type Credentials = z.output<typeof credentialsSchema>;

export function credentialsFile(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** Credentials of an earlier start; undefined when the file is gone. Throws StartFailed if it is damaged or unreadable. */
export async function findCredentials(dataDir: string): Promise<Credentials | undefined> {
  const file = credentialsFile(dataDir);
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  try {
    return credentialsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartFailed(
      `${file} is damaged: correct it or restore it from a backup (docs/backup-and-restore.md); if you delete it, the next start replaces the passwords and API keys in it`,
      { cause },
    );
  }
}

/** Writes the file whole or not at all, readable by its owner only. */
export async function storeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const file = credentialsFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
