import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const credentialsSchema = z.object({
  certManager: z.object({ url: z.string(), username: z.string(), password: z.string(), token: z.string() }),
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

/** Credentials of an earlier start; undefined when the file is gone or is not what was written. */
export async function findCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    return credentialsSchema.parse(JSON.parse(await readFile(credentialsFile(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the file whole or not at all, readable by its owner only. */
export async function storeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const file = credentialsFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
