import { type Database, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { listWrongSizes, recountSpace } from './space-sizes.repository.js';
import { lockSpace } from './spaces.repository.js';

/**
 * Counts the FQDNs of spaces again to which a process of an earlier version added some, or from which it removed some.
 * A space that cannot be locked waits for the next time.
 */
export async function sweepSpaceSizes({
  db,
  logger,
}: {
  readonly db: Database;
  readonly logger: Logger;
}): Promise<void> {
  const wrong = await db.longRead(listWrongSizes);
  let corrected = 0;
  for await (const id of yieldBetween(wrong)) {
    const recount = db.longTransaction(async (tx) => {
      if ((await lockSpace(tx, id)) === undefined) return;
      await recountSpace(tx, id);
      corrected += 1;
    });
    await recount.catch((error: unknown) => logger.warn({ spaceId: id, error }, 'spaces.not_recounted'));
  }
  if (corrected > 0) logger.info({ corrected }, 'spaces.recounted');
}
