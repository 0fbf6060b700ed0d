import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@certloop/db';
import { type Clock, StartFailed, sameText, secretHash } from '@certloop/server';

/** The one-time token that lets whoever holds it make the first administrator; known to this process only. */
export interface SetupToken {
  /** A new token, written to its file; the ones before it end. Throws StartFailed when it cannot be written. */
  issue(): Promise<string>;
  /** Whether the text is the token in force. */
  matches(text: string): boolean;
  /** Ends the token and removes its file. */
  end(): Promise<void>;
}

const lifeMs = 60 * 60_000;

export function createSetupToken(path: string, clock: Clock): SetupToken {
  let current: { readonly hash: string; readonly expiresAt: number } | undefined;
  return {
    issue: async () => {
      const text = `cms_${randomBytes(16).toString('base64url')}`;
      await writeSecretFile(path, `${text}\n`);
      current = { hash: secretHash(text), expiresAt: clock.now().getTime() + lifeMs };
      return text;
    },
    matches: (text) =>
      current !== undefined &&
      clock.now().getTime() < current.expiresAt &&
      sameText(secretHash(text), current.hash),
    end: async () => {
      current = undefined;
      await rm(path, { force: true });
    },
  };
}

async function writeSecretFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    // A file that is there already would keep its mode.
    await rm(path, { force: true });
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartFailed(`cannot write the setup token to ${path}: ${code}`, { cause });
  }
}
