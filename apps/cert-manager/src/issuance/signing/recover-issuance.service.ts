import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findKeyRefusal } from '../../certificates/compromised-keys.repository.js';
import { listLatestCsrs } from '../../csrs/csrs.repository.js';
import { listFqdnsById } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { SignOutcome } from '../../providers/provider.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import { callerOfJob } from '../jobs/job-audit.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { changeOf, type LeaseTerms } from './issuance-state.js';
import { deleteIssuances, type IssuanceRow, updateIssuance } from './issuances.repository.js';
import { notAccepted, perhapsLost } from './lost-certificate.service.js';
import type { StoreDeps } from './store-issued.service.js';
import type { createSignedStore } from './store-signed.service.js';

export interface RecoverDeps extends StoreDeps, LeaseTerms {
  readonly logger: Logger;
  readonly opener: ProviderOpener;
  readonly storeSigned: ReturnType<typeof createSignedStore>;
}

// dummy-ca remembers a name for a day: asked later, it would issue another certificate
const givenUpAfterMs = 24 * 3_600_000;

/**
 * Asks the CA of a claimed issuance again, under the key that it was asked by, which gives the certificate that it issued;
 * this is stored, whatever was stored for the FQDN in the meantime. Returns it, or undefined if there is none: then the
 * issuance is tried again later, or has ended with an audit entry that names what may have been issued.
 */
export async function recoverIssuance(
  deps: RecoverDeps,
  issuance: IssuanceRow,
): Promise<CertificateRow | undefined> {
  const subject = await deps.db.read((tx) => findSubject(tx, issuance));
  if ('gone' in subject) return giveUp(deps, issuance, subject.gone);
  const { fqdn, provider } = subject;
  if (deps.clock.now().getTime() - issuance.createdAt.getTime() > givenUpAfterMs) {
    return giveUp(deps, issuance, 'the CA gave no certificate for a day', provider);
  }
  const outcome = await ask(deps, subject, issuance.idempotencyKey);
  if (outcome.isSigned) {
    const caller = callerOfJob(issuance);
    return deps.storeSigned({ ...subject, caller, issued: outcome, issuance }).catch(unlessGone);
  }
  const { unaccepted, reason } = outcome;
  // asked again, the CA would give the same certificate
  if (unaccepted !== undefined) return end(deps, issuance, notAccepted(fqdn, provider, unaccepted));
  if (outcome.isPermanent === true) return giveUp(deps, issuance, reason, provider);
  const change = changeOf(issuance, { kind: 'lose', now: deps.clock.now() }, deps);
  if (change !== undefined) await deps.db.transaction((tx) => updateIssuance(tx, issuance, change));
  deps.logger.warn({ request: issuance.id, reason }, 'signing.will_retry');
  return undefined;
}

/** What the issuance names, or which of it is gone. */
async function findSubject(
  tx: Tx,
  { fqdnId, csrId, providerId }: IssuanceRow,
): Promise<IssuanceSubject | { readonly gone: string }> {
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
  { csr, provider }: IssuanceSubject,
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
function unlessGone(error: unknown): undefined {
  if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
}

function giveUp(
  deps: RecoverDeps,
  issuance: IssuanceRow,
  reason: string,
  provider?: ProviderRow,
): Promise<undefined> {
  const { fqdn, fqdnId: id, csrId, spkiSha256, providerId, spaceId } = issuance;
  const named = { csrId, spkiSha256, providerId, ...(provider !== undefined && { provider: provider.name }) };
  return end(deps, issuance, perhapsLost({ id, spaceId, fqdn }, named, reason));
}

/** Ends the issuance with an entry in the audit log, unless another worker has claimed it. */
async function end({ db, clock }: RecoverDeps, issuance: IssuanceRow, entry: AuditEntry): Promise<undefined> {
  await db.transaction(async (tx) => {
    if ((await deleteIssuances(tx, [issuance])) === 0) return;
    await recordAudit(tx, callerOfJob(issuance), entry, clock.now());
  });
}
