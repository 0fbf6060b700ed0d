import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LeafUse } from '@certloop/crypto';
import { type Database, slicesOf, yieldBetween } from '@certloop/db';
import type { LeafBatch, LeafUses } from './leaf-thread.service.js';
import { listLeafTexts } from './readiness.repository.js';

/** Facts of leaves by the ids of their certificates, which never change. */
export type KnownLeaves = Map<string, LeafUse>;

const maxKnown = 100_000;
const textsAtOnce = 500;

type LeafText = Awaited<ReturnType<typeof listLeafTexts>>[number];

/** Reads the facts of certificates on a thread, which the first one that is not known starts, and `close` ends. */
export interface LeafReader {
  read(certificateIds: readonly string[]): Promise<ReadonlyMap<string, LeafUse>>;
  close(): Promise<void>;
}

export function createLeafReader(db: Pick<Database, 'longRead'>, known: KnownLeaves): LeafReader {
  let worker: Worker | undefined;
  const usesOf = async (batch: LeafBatch): Promise<LeafUses> => {
    worker ??= new Worker(new URL('./leaf-thread.service.js', import.meta.url));
    const answer = once(worker, 'message');
    worker.postMessage(batch);
    const [uses] = (await answer) as [LeafUses];
    return uses;
  };
  return {
    read: async (certificateIds) => {
      const found = new Map<string, LeafUse>();
      const unknown = certificateIds.filter((id) => {
        const use = known.get(id);
        if (use !== undefined) found.set(id, use);
        return use === undefined;
      });
      const store = async (texts: readonly LeafText[]) => {
        const uses = await usesOf(texts.map(({ pem }) => pem));
        if (known.size + uses.length > maxKnown) known.clear();
        for (const [index, { id }] of texts.entries()) {
          const use = uses[index];
          if (use === undefined) continue;
          found.set(id, use);
          known.set(id, use);
        }
      };
      // the thread reads some while the database is asked for the next
      let stored = Promise.resolve();
      for await (const ids of yieldBetween(slicesOf(unknown, textsAtOnce))) {
        const texts = await db.longRead((tx) => listLeafTexts(tx, ids));
        await stored;
        stored = store(texts);
        // awaited with the next ones, unless these cannot be read
        stored.catch(() => undefined);
      }
      await stored;
      return found;
    },
    close: async () => {
      await worker?.terminate();
      worker = undefined;
    },
  };
}
