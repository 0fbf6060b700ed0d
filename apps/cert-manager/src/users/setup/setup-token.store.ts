import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Database, makeFolder } from '@certloop/db';
import { type Clock, StartFailed, secretHash } from '@certloop/server';
import {
  deleteSetupTokens,
  hasSetupToken,
  hasSetupTokens,
  insertSetupToken,
} from './setup-tokens.repository.js';

/** One-time tokens that let their holder create the first administrator; those of all processes count. */
export interface SetupToken {
  /**
   * A new token for an hour, written to the file of this process; the one before it in the file is good until its own
   * end. Throws StartFailed when the file cannot be written.
   */
  issue(): Promise<void>;
  /** Whether the text is a token in force, of whichever process. */
  matches(text: string): Promise<boolean>;
  /** Ends all tokens, and removes the file of this process. */
  end(): Promise<void>;
}

const lifeMs = 60 * 60_000;

export function createSetupToken(path: string, { db, clock }: { db: Database; clock: Clock }): SetupToken {
  return {
    issue: async () => {
      const text = `cms_${randomBytes(16).toString('base64url')}`;
      await writeSecretFile(path, `${text}\n`);
      const now = clock.now();
      const row = { secretHash: secretHash(text), expiresAt: new Date(now.getTime() + lifeMs) };
      await db.transaction((tx) => insertSetupToken(tx, row, now));
    },
    matches: (text) => db.read((tx) => hasSetupToken(tx, secretHash(text), clock.now())),
    end: async () => {
      // a start does not write without need: the database may be full
      if (await db.read(hasSetupTokens)) await db.transaction(deleteSetupTokens);
      await rm(path, { force: true });
    },
  };
}

async function writeSecretFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    // A file that exists already would keep its mode.
    await rm(path, { force: true });
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartFailed(`cannot write the setup token to ${path}: ${code}`, { cause });
  }
}
