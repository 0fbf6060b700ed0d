import type { Database, Tx } from '@certloop/db';
import { createGrowingCache, type Logger } from '@certloop/server';

export interface UseNotesOptions {
  readonly db: Database;
  readonly logger: Logger;
}

/** Notes that a credential was used; never rejects. */
export type NoteUse = (key: string, at: Date, write: (tx: Tx) => Promise<void>) => Promise<void>;

// long for a note on a healthy database, short for a caller who waits for an answer
const patienceMs = 40;
const retryMs = 60_000;
const maxKeys = 10_000;

/**
 * Writes when credentials were last used, without a say in whether the request is answered: a database that cannot be
 * written, or is locked, delays a reader by 40 ms once a minute at most. `key` names the credential.
 */
export function createNoteUse({ db, logger }: UseNotesOptions): NoteUse {
  const tried = createGrowingCache<number>(maxKeys);
  return async (key, at, write) => {
    if (at.getTime() - (tried.get(key) ?? Number.NEGATIVE_INFINITY) < retryMs) return;
    tried.set(key, at.getTime());
    const noted = db
      .transaction(write)
      .catch((error: unknown) => logger.warn({ error }, 'credential.use_not_recorded'));
    await settledWithin(noted, patienceMs);
  };
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
