import type { Fqdn } from '@certloop/contracts';
import { type IssuanceJobRow, insertJob } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import type { TestApp } from './app.js';
import { addCsr, addFqdn, addSpace } from './inventory.js';
import { newCsr, providerOf } from './signing.js';

/** A job of an FQDN of its own, as if a request had made it; no one works on it. */
export async function addJob(
  app: TestApp,
  change: Partial<IssuanceJobRow> = {},
): Promise<{ readonly job: IssuanceJobRow; readonly fqdn: Fqdn }> {
  const { id: spaceId } = await addSpace(app);
  const fqdn = await addFqdn(app, spaceId, 'www.example.org');
  const csr = await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
  const { id: providerId } = await providerOf(app, 'acme');
  const { ada } = app.people;
  const now = app.clock.now();
  const job: IssuanceJobRow = {
    id: crypto.randomUUID(),
    fqdnId: fqdn.id,
    spaceId,
    csrId: csr.id,
    providerId,
    kind: 'request',
    status: 'waiting',
    caller: {
      kind: 'user',
      userId: ada.id,
      username: ada.username,
      requestId: 'r',
      ipAddress: '',
      userAgent: '',
    },
    steps: {},
    orderState: null,
    isConfirmed: false,
    replacesId: null,
    certificateId: null,
    message: 'waiting',
    attempt: 1,
    leaseUntil: null,
    createdAt: now,
    finishedAt: null,
    ...change,
  };
  await app.database.transaction((tx) => insertJob(tx, job));
  return { job, fqdn };
}
