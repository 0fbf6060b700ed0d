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

/** A queue of jobs of which each provider runs `limit` at once. */
export function createJobQueue<Job extends { readonly providerId: string }>(limit: number): JobQueue<Job> {
  const lanes = new Map<string, { running: number; readonly waiting: Waiting<Job>[] }>();
  let isClosed = false;
  const laneOf = ({ providerId }: Job) => {
    const lane = lanes.get(providerId) ?? { running: 0, waiting: [] };
    lanes.set(providerId, lane);
    return lane;
  };
  return {
    enter: async (job) => {
      const lane = laneOf(job);
      if (isClosed) return false;
      if (lane.running < limit) {
        lane.running += 1;
        return true;
      }
      return new Promise((resolve) => lane.waiting.push({ job, resolve }));
    },
    leave: (job) => {
      const lane = laneOf(job);
      const next = lane.waiting.shift();
      // the place passes on, so that a job that comes now cannot take it
      if (next === undefined) lane.running -= 1;
      else next.resolve(true);
    },
    waiting: () => [...lanes.values()].flatMap((lane) => lane.waiting.map(({ job }) => job)),
    close: () => {
      isClosed = true;
      for (const { waiting } of lanes.values()) for (const { resolve } of waiting.splice(0)) resolve(false);
    },
  };
}

interface Waiting<Job> {
  readonly job: Job;
  readonly resolve: (mayRun: boolean) => void;
}
