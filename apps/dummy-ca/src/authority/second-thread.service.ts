import { Worker } from 'node:worker_threads';
import type { Logger } from '@certloop/server';
import type { SpreadIssuing } from './certificate-authority.service.js';
import type { IssueForCsr, SignedCertificate } from './csr-issuance.js';

/** What one certificate is issued for. */
export type Job = Parameters<IssueForCsr>;

/** The certificate; undefined where it is refused, or the thread cannot say. */
export type Outcome = SignedCertificate | undefined;

export interface SecondThread {
  readonly spread: SpreadIssuing;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (certificate: SignedCertificate | Promise<SignedCertificate>) => void;
}

// A batch costs both threads one wake-up. One is worked on while the next lies ready; whatever more waits is
// issued on the calling thread.
const batchSize = 4;
const mostSent = 2 * batchSize;

/**
 * Issues on a second thread what the calling one does not get to, so that two cores sign. A single request is
 * issued at once on the calling thread; so is everything when the other thread ends.
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
  const waiting: Waiting[] = [];
  const sent: Waiting[][] = [];
  let isReady = false;
  let isDue = false;

  const issueOne = ({ job, resolve }: Waiting) => resolve(issueHere(...job));
  const shareLater = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(share);
  };
  const send = () => {
    const batch = waiting.splice(0, batchSize);
    sent.push(batch);
    worker.postMessage(batch.map(({ job }) => job));
  };
  const share = () => {
    isDue = false;
    const countSent = () => sent.reduce((sum, batch) => sum + batch.length, 0);
    while (isReady && waiting.length > (sent.length === 0 ? 1 : 0) && countSent() < mostSent) send();
    const next = waiting.shift();
    if (next !== undefined) issueOne(next);
    if (waiting.length > 0) shareLater();
  };
  worker.on('message', (outcomes: readonly Outcome[]) => {
    const batch = isReady ? (sent.shift() ?? []) : [];
    isReady = true;
    for (const [place, each] of batch.entries()) {
      const certificate = outcomes[place];
      if (certificate === undefined) issueOne(each);
      else each.resolve(certificate);
    }
  });
  worker.on('error', (error) => logger.error({ error }, 'second_thread.failed'));
  worker.on('exit', () => {
    isReady = false;
    for (const each of sent.splice(0).flat()) issueOne(each);
  });
  return (...job) =>
    new Promise((resolve) => {
      waiting.push({ job, resolve });
      shareLater();
    });
}
