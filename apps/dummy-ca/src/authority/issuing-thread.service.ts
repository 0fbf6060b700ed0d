// Entry of the thread that `second-thread.service.ts` starts: batches of jobs come in, their outcomes go out.
import { parentPort, workerData } from 'node:worker_threads';
import { type IssuingParts, issueForCsr, openIssuing } from './csr-issuance.js';
import type { Batch, BatchOutcomes, Job, Outcome } from './second-thread.service.js';

const issuing = openIssuing(workerData as IssuingParts);

async function settle(job: Job): Promise<Outcome> {
  // Anyone who asked finds out the refusal: an error would not keep its class on the way.
  return issueForCsr(issuing, ...job).catch(() => undefined);
}

const send = (answer: BatchOutcomes) => parentPort?.postMessage(answer);

parentPort?.on('message', async ({ number, jobs }: Batch) => {
  send({ number, outcomes: await Promise.all(jobs.map(settle)) });
});
send({ number: 0, outcomes: [] });
