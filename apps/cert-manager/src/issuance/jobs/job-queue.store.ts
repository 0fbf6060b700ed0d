/** Lets a bounded number of jobs of each provider run in this process; the others wait in order. */
export interface JobQueue<Job> {
  /** Resolves when the job may run, false when the queue was closed before that. Each true needs a `leave`. */
  enter(job: Job): Promise<boolean>;
  /** Makes room for the next job of the same provider. */
  leave(job: Job): void;
  /** Jobs that wait. */
  waiting(): readonly Job[];
  /** Lets no one wait any longer. */
  close(): void;
}

/** A queue of jobs; each provider runs `limit` of them at once. */
export function createJobQueue<Job extends { readonly providerId: string }>(limit: number): JobQueue<Job> {
  const queues = new Map<string, { running: number; readonly waiting: WaitingJob<Job>[] }>();
  let isClosed = false;
  const queueOf = ({ providerId }: Job) => {
    const queue = queues.get(providerId) ?? { running: 0, waiting: [] };
    queues.set(providerId, queue);
    return queue;
  };
  return {
    enter: async (job) => {
      const queue = queueOf(job);
      if (isClosed) return false;
      if (queue.running < limit) {
        queue.running += 1;
        return true;
      }
      return new Promise((resolve) => queue.waiting.push({ job, resolve }));
    },
    leave: (job) => {
      const queue = queueOf(job);
      const next = queue.waiting.shift();
      // the place passes on, so that a job that comes now cannot take it
      if (next === undefined) queue.running -= 1;
      else next.resolve(true);
    },
    waiting: () => [...queues.values()].flatMap((queue) => queue.waiting.map(({ job }) => job)),
    close: () => {
      isClosed = true;
      for (const { waiting } of queues.values()) for (const { resolve } of waiting.splice(0)) resolve(false);
    },
  };
}

interface WaitingJob<Job> {
  readonly job: Job;
  readonly resolve: (mayRun: boolean) => void;
}
