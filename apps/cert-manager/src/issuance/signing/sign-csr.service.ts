import { InvalidInput } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { isSendingCsr } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { createIssuanceJudge } from '../../csrs/judge-issuance.service.js';
import { createKeyJudge } from '../../csrs/judged-keys.store.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderProgress, UnacceptedCertificate } from '../../providers/provider.js';
import { kindOf } from '../../providers/provider-kinds.js';
import type { RequestDeps } from '../jobs/begin-job.service.js';
import { createOrderFinder, type Order, type OrderInput } from './find-orders.service.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { notAccepted } from './lost-certificate.service.js';
import { createRequestLog } from './record-signing.service.js';
import { type SignedByOrder, signByOrder } from './sign-by-order.service.js';
import { createSignCompany } from './sign-company.store.js';
import { deleteSigningRequests } from './signing-requests.repository.js';
import type { SigningSlots } from './signing-slots.store.js';
import { createSignedStore, type StoreDeps, signAudit } from './store-signed.service.js';

export interface IssuanceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly opener: ProviderOpener;
}

export interface SignDeps extends RequestDeps, StoreDeps {
  readonly signingSlots: SigningSlots;
  /** Lets what watches the FQDN know that it got no certificate. */
  readonly onRequestFailed?: (tx: Tx, fqdnId: string, reason: string) => Promise<void>;
}

interface SignInput extends OrderInput {
  /** How long an order with a CA is waited for. */
  readonly waitSeconds: number;
}

// as long as a wait for a busy disk: callers that come at the same time share it before the CA is asked
const lingerMs = 5;

/**
 * The use case `csr/sign`: has the newest CSR of an FQDN signed and stores the certificate. An order with a CA that takes
 * longer than `waitSeconds` goes on after the response. If the provider refuses or fails, the result is `success: false` with
 * its reason and nothing is stored; a certificate that the CA issued without an answer is stored later. Throws NotFound if
 * the space, the FQDN, a CSR or the provider is missing, also if it was deleted while the provider was at work. Throws
 * InvalidInput if the provider is disabled or lacks a part of its configuration, the CSR has a weak RSA key, the policy
 * of the space does not allow a name or the provider, or another space holds a name. If the provider signed for a call that died, the idempotency key
 * makes it return that certificate.
 */
export function createSigner(deps: SignDeps): (caller: Caller, input: SignInput) => Promise<SignedByOrder> {
  const shared = shareBetweenCalls(deps);
  return (caller, input) => signCsr(shared, caller, input);
}

type SharedDeps = ReturnType<typeof shareBetweenCalls>;

/** The dependencies, and what concurrent calls share: their batches of reads and writes, and a cache of judged keys. */
function shareBetweenCalls(deps: SignDeps) {
  const company = createSignCompany(lingerMs);
  return {
    ...deps,
    company,
    findOrder: createOrderFinder(deps.db, { ms: lingerMs, expected: company.near }),
    recordRequest: createRequestLog({ ...deps, leaseMs: deps.runner.leaseMs }),
    storeSigned: createSignedStore(deps, company.asking),
    judgeKey: createKeyJudge(),
    judgeIssuance: createIssuanceJudge(deps.db),
  };
}

async function signCsr(deps: SharedDeps, caller: Caller, input: SignInput): Promise<SignedByOrder> {
  requireLevel(caller, input.spaceId, 'READ_WRITE');
  // take the slot before reading the newest certificate: the call that had it before has stored its certificate by then
  return deps.company.join(() =>
    deps.signingSlots.use(input.fqdnId, (slot) => signInSlot(deps, slot, caller, input)),
  );
}

async function signInSlot(
  deps: SharedDeps,
  slot: number,
  caller: Caller,
  input: SignInput,
): Promise<SignedByOrder> {
  const order = await deps.findOrder(input);
  deps.judgeKey(order.csr);
  const provider = deps.opener.openForSigning(order.provider);
  if (order.refusal !== undefined) return refuse(deps, caller, { order }, order.refusal);
  if (kindOf(order.provider).issuance === 'order') {
    return signByOrder(deps, caller, order, input.waitSeconds);
  }
  const idempotencyKey = keyOf(order, slot);
  const requestId = await deps
    .recordRequest({ caller, order, idempotencyKey })
    .catch((error: unknown) => refuse(deps, caller, { order }, error));
  // the policy may be changed while the call waits for its turn
  const progress = judgedAtTurn(() => deps.judgeIssuance(order));
  const outcome = await deps.company
    .ask(() => provider.sign(order.csr.csrPem, progress, idempotencyKey))
    .catch((error: unknown) => refuse(deps, caller, { order, requestId }, error));
  if (!outcome.isSigned) {
    // `recoverSigning` asks again for what a CA may have issued
    const ended = outcome.mayHaveIssued === true ? { order } : { order, requestId };
    await recordRefusal(deps, caller, { ...ended, unaccepted: outcome.unaccepted }, outcome.reason);
    return { reply: { success: false, message: outcome.reason } };
  }
  const certificate = await deps.storeSigned({ caller, order, issued: outcome, requestId });
  // the CA gave what another call had stored and revoked by now: as the newest one, it makes this a new request
  if (certificate.revokedAt !== null) return signInSlot(deps, slot, caller, input);
  return {
    reply: {
      success: true,
      message: messageOf(order, certificate, outcome.finding),
      certificate: certificate.pem,
    },
  };
}

/** The same until a certificate is stored, so that a call after one that died gets the certificate of that one. */
function keyOf({ fqdn, csr, newestId }: Order, slot: number): string {
  return idempotencyKeyOf({ purpose: 'sign', fqdnId: fqdn.id, csrId: csr.id, newestId, slot });
}

function messageOf({ fqdn, provider }: Order, certificate: CertificateRow, finding?: string): string {
  const warning = validityWarning(fqdn.fqdn, { ...certificate, expiresAt: leafEndOf(certificate) });
  const signed = `signed by ${provider.name}, valid until ${certificate.expiresAt.toISOString()}`;
  return [
    signed,
    ...(warning === undefined ? [] : [`it ${warning}`]),
    ...(finding === undefined ? [] : [finding]),
  ].join('; ');
}

/** Throws the error; a refusal by the policy of the space is audited before. */
async function refuse(deps: SignDeps, caller: Caller, subject: Refused, error: unknown): Promise<never> {
  if (error instanceof InvalidInput) await recordRefusal(deps, caller, subject, error.message, error.code);
  throw error;
}

/** There is no order with the CA to come back to. */
function judgedAtTurn(judge: () => Promise<void>): OrderProgress {
  return {
    stored: undefined,
    store: async () => undefined,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change)) await judge();
    },
  };
}

interface Refused {
  readonly order: Order;
  /** What is written down of the request to the CA, which is over. */
  readonly requestId?: string;
  /** What the CA issued, and is not stored. */
  readonly unaccepted?: UnacceptedCertificate | undefined;
}

function recordRefusal(
  { db, clock, onRequestFailed }: SignDeps,
  caller: Caller,
  { order: { fqdn, csr, provider }, requestId, unaccepted }: Refused,
  reason: string,
  code?: string,
): Promise<void> {
  const provided = { provider: provider.name, providerId: provider.id };
  const details = { reason, ...(code !== undefined && { code }), ...provided };
  const entry = { ...signAudit({ fqdn, csr }, details), outcome: 'failure' as const };
  return db.transaction(async (tx) => {
    await recordAudit(tx, caller, entry, clock.now());
    if (unaccepted !== undefined)
      await recordAudit(tx, caller, notAccepted(fqdn, provider, unaccepted), clock.now());
    if (requestId !== undefined) await deleteSigningRequests(tx, [requestId]);
    await onRequestFailed?.(tx, fqdn.id, reason);
  });
}
