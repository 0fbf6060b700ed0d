import type { Fqdn } from '@certloop/contracts';
import { insertJob } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { type IssuanceRow, noClient } from '../../src/issuance/signing/issuances.repository.js';
import type { TestApp } from './app.js';
import { addCsr, addFqdn, addSpace } from './inventory.js';
import { newCsr, providerOf } from './signing.js';

/** A job of an FQDN of its own, as if a request had made it; no one works on it. */
export async function addJob(
  app: TestApp,
  change: Partial<IssuanceRow> = {},
): Promise<{ readonly job: IssuanceRow; readonly fqdn: Fqdn }> {
  const { id: spaceId } = await addSpace(app);
  const fqdn = await addFqdn(app, spaceId, 'www.example.org');
  const csr = await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
  const { id: providerId } = await providerOf(app, 'acme');
  const { ada } = app.people;
  const now = app.clock.now();
  const job: IssuanceRow = {
    id: crypto.randomUUID(),
    fqdnId: fqdn.id,
    fqdn: fqdn.fqdn,
    spaceId,
    csrId: csr.id,
    spkiSha256: '',
    providerId,
    cause: 'request',
    isOrder: true,
    state: 'waiting',
    caller: {
      kind: 'user',
      userId: ada.id,
      username: ada.username,
      requestId: 'r',
      ipAddress: '',
      userAgent: '',
    },
    steps: {},
    idempotencyKey: crypto.randomUUID(),
    orderUrl: null,
    orderState: null,
    issued: null,
    isConfirmed: false,
    replacesId: null,
    certificateId: null,
    code: null,
    message: 'waiting',
    attempt: 1,
    leaseUntil: null,
    nextAt: change.state === 'queued' ? now : null,
    createdAt: now,
    finishedAt: null,
    ...noClient,
    ...change,
  };
  await app.database.transaction((tx) => insertJob(tx, job));
  return { job, fqdn };
}
