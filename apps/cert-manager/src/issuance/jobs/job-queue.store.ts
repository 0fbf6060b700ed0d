import { createFairTurns, type FairTurns, type TurnPlace } from './fair-turns.js';

/** Lets a bounded number of jobs of each provider run in this process; the others wait, each space and client in its turn. */
export interface JobQueue<Job> {
  /** True if the job may run; a promise if it has to wait; false when the queue was closed before that. Each true needs a `leave`. */
  enter(job: Job): boolean | Promise<boolean>;
  /** Makes room for the next job of the same provider. */
  leave(job: Job): void;
  /** Lets no one wait any longer. */
  close(): void;
}

/** A queue of jobs; each provider runs `limit` of them at once. */
export function createJobQueue<Job extends TurnPlace & { readonly providerId: string }>(
  limit: number,
): JobQueue<Job> {
  type Resolve = (mayRun: boolean) => void;
  const queues = new Map<string, { running: number; readonly waiting: FairTurns<Resolve> }>();
  let isClosed = false;
  const queueOf = ({ providerId }: Job) => {
    const queue = queues.get(providerId) ?? { running: 0, waiting: createFairTurns<Resolve>() };
    queues.set(providerId, queue);
    return queue;
  };
  return {
    enter: (job) => {
      const queue = queueOf(job);
      if (isClosed) return false;
      if (queue.running < limit) {
        queue.running += 1;
        return true;
      }
      return new Promise((resolve) => queue.waiting.add(job, resolve));
    },
    leave: (job) => {
      const queue = queueOf(job);
      const next = queue.waiting.next();
      // the place passes on, so that a job that comes now cannot take it
      if (next === undefined) queue.running -= 1;
      else next(true);
    },
    close: () => {
      isClosed = true;
      for (const { waiting } of queues.values())
        for (let next = waiting.next(); next !== undefined; next = waiting.next()) next(false);
    },
  };
}
