// Entry of the thread that `second-thread.service.ts` starts: batches of jobs come in, their outcomes go out.
import { parentPort, workerData } from 'node:worker_threads';
import { type IssuingParts, issueForCsr, openIssuing } from './csr-issuance.js';
import type { Batch, BatchOutcomes, Job, Outcome } from './second-thread.service.js';

const issuing = openIssuing(workerData as IssuingParts);

async function settle(job: Job): Promise<Outcome> {
  // The other thread computes the rejection again, since an error would lose its class between threads.
  return issueForCsr(issuing, ...job).catch(() => undefined);
}

const send = (answer: BatchOutcomes) => parentPort?.postMessage(answer);

parentPort?.on('message', async ({ number, jobs }: Batch) => {
  send({ number, outcomes: await Promise.all(jobs.map(settle)) });
});
send({ number: 0, outcomes: [] });
