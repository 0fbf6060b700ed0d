import { AppError } from '@certloop/contracts';
import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { recordAudit } from '../../audit/audit.service.js';
import { findKeyRefusal } from '../../certificates/compromised-keys.repository.js';
import { type CsrRow, listLatestCsrs } from '../../csrs/csrs.repository.js';
import { type FqdnRow, listFqdnsById } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { SignOutcome, UnacceptedCertificate } from '../../providers/provider.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import { callerOfJob } from '../jobs/job-audit.js';
import { notAccepted, perhapsLost } from './lost-certificate.service.js';
import {
  claimSigningRequest,
  deleteSigningRequests,
  type SigningRequestRow,
} from './signing-requests.repository.js';
import { type StoreDeps, storeOrRecordLost } from './store-signed.service.js';

export interface RecoverDeps extends StoreDeps {
  readonly logger: Logger;
  readonly opener: ProviderOpener;
  /** Pause before the CA is asked a second time, in milliseconds; it doubles up to an hour. */
  readonly pauseMs: number;
}

const hourMs = 3_600_000;
// dummy-ca remembers a name for a day: asked later, it would issue another certificate
const givenUpAfterMs = 24 * hourMs;

/**
 * Takes over calls of csr/sign whose process died, or whose CA's answer was lost. The CA is asked again under the name that it was asked by, which
 * gives the certificate that it issued; this is stored, whatever was stored for the FQDN in the meantime. Where that cannot
 * be done, the audit log gets an entry that names what may have been issued.
 */
export async function recoverSigning(deps: RecoverDeps): Promise<void> {
  for await (const _round of yieldBetween()) {
    const now = deps.clock.now();
    const leaseAfter = (attempt: number) =>
      new Date(now.getTime() + Math.min(deps.pauseMs * 2 ** (attempt - 1), hourMs));
    const request = await deps.db.transaction((tx) => claimSigningRequest(tx, now, leaseAfter));
    if (request === undefined) return;
    deps.logger.warn({ request: request.id, attempt: request.attempt }, 'signing.taken_over');
    await recover(deps, request).catch((error: unknown) =>
      deps.logger.error({ request: request.id, error }, 'signing.recovery_failed'),
    );
  }
}

async function recover(deps: RecoverDeps, request: SigningRequestRow): Promise<void> {
  const subject = await deps.db.read((tx) => findSubject(tx, request));
  if ('gone' in subject) return abandonRequest(deps, request, subject.gone);
  if (deps.clock.now().getTime() - request.createdAt.getTime() > givenUpAfterMs) {
    return abandonRequest(deps, request, 'the CA gave no certificate for a day', subject.provider);
  }
  const { fqdn, csr, provider } = subject;
  const outcome = await ask(deps, subject, request.idempotencyKey);
  if (outcome.isSigned) {
    const order = { fqdn, csr, provider, newestId: undefined, refusal: undefined };
    const signed = { caller: callerOfJob(request), order, issued: outcome, requestId: request.id };
    await storeOrRecordLost(deps, signed).catch(unlessGone);
    return;
  }
  if (outcome.unaccepted !== undefined) return recordUnaccepted(deps, request, subject, outcome.unaccepted);
  if (outcome.isPermanent === true) return abandonRequest(deps, request, outcome.reason, provider);
  deps.logger.warn({ request: request.id, reason: outcome.reason }, 'signing.will_retry');
}

interface Subject {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
}

/** What the request names, or which of it is gone. */
async function findSubject(
  tx: Tx,
  { fqdnId, csrId, providerId }: SigningRequestRow,
): Promise<Subject | { readonly gone: string }> {
  const [fqdn] = await listFqdnsById(tx, [fqdnId]);
  if (fqdn === undefined) return { gone: 'the FQDN was deleted' };
  const [provider] = await listProvidersById(tx, [providerId]);
  if (provider === undefined) return { gone: 'the provider was deleted' };
  const [csr] = await listLatestCsrs(tx, [fqdnId]);
  // a certificate for another key than the owner uses now must not replace the one in use
  if (csr?.id !== csrId) return { gone: 'another CSR was uploaded, or this one deleted' };
  if ((await findKeyRefusal(tx, csr)) !== undefined) return { gone: 'the key is compromised' };
  return { fqdn, csr, provider };
}

async function ask(
  deps: RecoverDeps,
  { csr, provider }: Subject,
  idempotencyKey: string,
): Promise<SignOutcome> {
  try {
    return await deps.opener.openForSigning(provider).sign(csr.csrPem, undefined, idempotencyKey);
  } catch (error) {
    // such as a provider that was switched off in the meantime
    if (error instanceof AppError) return { isSigned: false, reason: error.message };
    throw error;
  }
}

/** The audit log has it then. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
}

/** Asked again, the CA would give the same certificate. */
function recordUnaccepted(
  { db, clock }: RecoverDeps,
  request: SigningRequestRow,
  { fqdn, provider }: Subject,
  unaccepted: UnacceptedCertificate,
): Promise<void> {
  return db.transaction(async (tx) => {
    await recordAudit(tx, callerOfJob(request), notAccepted(fqdn, provider, unaccepted), clock.now());
    await deleteSigningRequests(tx, [request.id]);
  });
}

async function abandonRequest(
  { db, clock }: RecoverDeps,
  request: SigningRequestRow,
  reason: string,
  provider?: ProviderRow,
): Promise<void> {
  const { fqdn, fqdnId: id, csrId, spkiSha256, providerId, spaceId } = request;
  const details = {
    csrId,
    spkiSha256,
    providerId,
    ...(provider !== undefined && { provider: provider.name }),
  };
  const entry = perhapsLost({ id, spaceId, fqdn }, details, reason);
  await db.transaction(async (tx) => {
    await recordAudit(tx, callerOfJob(request), entry, clock.now());
    await deleteSigningRequests(tx, [request.id]);
  });
}
