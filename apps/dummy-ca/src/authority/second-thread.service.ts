import { Worker } from 'node:worker_threads';
import type { Logger } from '@certloop/server';
import type { SpreadIssuing } from './certificate-authority.service.js';
import type { IssueForCsr, SignedCertificate } from './csr-issuance.js';

/** Job to issue one certificate. */
export type Job = Parameters<IssueForCsr>;

/** The certificate; undefined if the request was rejected or the thread failed. */
export type Outcome = SignedCertificate | undefined;

/** Batch that is sent to the thread. */
export interface Batch {
  readonly number: number;
  readonly jobs: readonly Job[];
}

/** The results of a batch, sent when all its jobs are done; a later batch may be done first. */
export interface BatchOutcomes {
  /** 0 of no batch, when it is ready for the first. */
  readonly number: number;
  /** In the order of the jobs. */
  readonly outcomes: readonly Outcome[];
}

export interface SecondThread {
  readonly spread: SpreadIssuing;
  close(): Promise<void>;
}

interface WaitingJob {
  readonly job: Job;
  readonly resolve: (certificate: SignedCertificate | Promise<SignedCertificate>) => void;
}

// A batch costs both threads one wake-up. One is worked on while the next lies ready; whatever more waits is
// issued on the calling thread.
const batchSize = 4;
const maxSent = 2 * batchSize;

/**
 * Issues on a second thread the certificates that the calling thread has no time for, so that two cores sign. A single
 * request is issued at once on the calling thread; so are all requests after the other thread has ended.
 */
export function createSecondThread(logger: Logger): SecondThread {
  let worker: Worker | undefined;
  return {
    spread: (parts, issueHere) => {
      worker = new Worker(new URL('./issuing-thread.service.js', import.meta.url), { workerData: parts });
      worker.unref();
      return shareWith(worker, issueHere, logger);
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

function shareWith(worker: Worker, issueHere: IssueForCsr, logger: Logger): IssueForCsr {
  const waiting: WaitingJob[] = [];
  const sent = new Map<number, readonly WaitingJob[]>();
  let lastNumber = 0;
  let isReady = false;
  let isDue = false;

  const issueOne = ({ job, resolve }: WaitingJob) => resolve(issueHere(...job));
  const shareLater = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(share);
  };
  const send = () => {
    const batch = waiting.splice(0, batchSize);
    lastNumber += 1;
    sent.set(lastNumber, batch);
    worker.postMessage({ number: lastNumber, jobs: batch.map(({ job }) => job) } satisfies Batch);
  };
  const share = () => {
    isDue = false;
    const countSent = () => [...sent.values()].reduce((sum, batch) => sum + batch.length, 0);
    while (isReady && waiting.length > (sent.size === 0 ? 1 : 0) && countSent() < maxSent) send();
    const next = waiting.shift();
    if (next !== undefined) issueOne(next);
    if (waiting.length > 0) shareLater();
  };
  worker.on('message', ({ number, outcomes }: BatchOutcomes) => {
    isReady = true;
    const batch = sent.get(number) ?? [];
    sent.delete(number);
    for (const [place, each] of batch.entries()) {
      const certificate = outcomes[place];
      if (certificate === undefined) issueOne(each);
      else each.resolve(certificate);
    }
  });
  worker.on('error', (error) => logger.error({ error }, 'signing_thread.failed'));
  worker.on('exit', () => {
    isReady = false;
    const left = [...sent.values()].flat();
    sent.clear();
    for (const each of left) issueOne(each);
  });
  return (...job) =>
    new Promise((resolve) => {
      waiting.push({ job, resolve });
      shareLater();
    });
}
