import { yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import { type DueIssuance, listDueIssuances } from './due-issuances.repository.js';

interface TakeUpParts extends DbDeps {
  readonly logger: Logger;
  /** As that of the runner. */
  readonly begin: (job: DueIssuance) => Promise<void>;
  /** The work on jobs of this process, whether it has begun or waits; it never rejects. */
  readonly underWay: ReadonlyMap<string, Promise<void>>;
  readonly isStopped: () => boolean;
}

// as many wait as run
const maxListed = 64;
// with fewer jobs under way by a provider, more of them are begun
const fewUnderWay = 32;

/**
 * A function that begins due jobs, those first that have been due for the longest time. However many are due, a process
 * reads and begins a bounded number of each provider, and more of them as its jobs end. No provider keeps the jobs of
 * others waiting.
 */
export function createTakeUp({ db, clock, logger, begin, underWay, isStopped }: TakeUpParts) {
  const counts = new Map<string, number>();
  /** Providers with more due jobs than this process has begun. */
  const behind = new Set<string>();
  const count = ({ providerId }: DueIssuance, change: 1 | -1) => {
    const left = (counts.get(providerId) ?? 0) + change;
    if (left > 0) counts.set(providerId, left);
    else counts.delete(providerId);
    return left;
  };
  const beginOne = (job: DueIssuance) => {
    const begun = begin(job);
    count(job, 1);
    void underWay.get(job.id)?.then(() => {
      if (count(job, -1) < fewUnderWay && behind.delete(job.providerId)) void continueWith(job.providerId);
    });
    return begun;
  };
  const beginAll = async (only?: string) => {
    const tried = new Set<string>();
    const full = new Set<string>();
    for await (const _round of yieldBetween()) {
      const scope = { only, except: [...full], limit: maxListed };
      const due = await db.longRead((tx) => listDueIssuances(tx, clock.now(), scope));
      if (isStopped()) return;
      const isHere = ({ id }: DueIssuance) => underWay.has(id) || tried.has(id);
      // a job that is due and under way waits here for others of its provider
      for (const { providerId } of due.filter(isHere)) full.add(providerId);
      const next = due.filter((job) => !isHere(job));
      for (const { id } of next) tried.add(id);
      await Promise.all(next.map(beginOne));
      if (due.length < maxListed) return;
      for (const providerId of full) behind.add(providerId);
      if (only !== undefined && full.has(only)) return;
    }
  };
  const continueWith = (providerId: string) =>
    beginAll(providerId).catch((error: unknown) =>
      logger.warn({ providerId, error }, 'issuance.take_up_failed'),
    );
  return () => beginAll();
}
