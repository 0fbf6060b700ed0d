import type { Database } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { createTextIndex, dropTextIndex, findTextIndex } from './text-index.repository.js';

export interface IndexTextsDeps {
  readonly db: Database;
  readonly logger: Logger;
}

/**
 * Makes the index of PostgreSQL by which a text within the details is found, where it is missing or was left
 * unfinished, while the service works. Searches work without it, only slower: a database that does not have pg_trgm or
 * does not let us create it is a line in the log. Never rejects.
 */
export async function indexAuditTexts({ db, logger }: IndexTextsDeps): Promise<void> {
  if (db.dialect.name !== 'postgres') return;
  try {
    const state = await findTextIndex(db);
    if (state === 'valid' || state === 'being made') return;
    if (state === 'left unfinished') await dropTextIndex(db);
    await createTextIndex(db);
    logger.info('audit.text_index_created');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ reason }, 'audit.text_index_not_created');
  }
}
