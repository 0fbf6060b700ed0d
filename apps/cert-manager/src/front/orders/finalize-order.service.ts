import { type AcmeProblem, acmeProblemDocument, InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import { findAcmeClient } from '../../acme-clients/acme-clients.repository.js';
import { findRefusedNames } from '../../acme-clients/judge-names.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findKeyRefusal } from '../../certificates/compromised-keys.repository.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import {
  beginClientIssuance,
  supersededReason,
} from '../../issuance/clients/begin-client-issuance.service.js';
import type { IssuanceRow } from '../../issuance/signing/issuances.repository.js';
import { lockProviderForShare, type ProviderRow } from '../../providers/providers.repository.js';
import { lockSpacesForShare } from '../../spaces/spaces.repository.js';
import { callerOfClient, type FrontDeps, type FrontRequest } from '../front-deps.service.js';
import { type FrontOrder, frontOrderOf } from '../front-records.service.js';
import { lineageOf } from '../rules/lineage.js';
import { failedProblem } from '../rules/order-problems.js';
import { refusedIdentifiers } from '../rules/refused-identifiers.js';
import { answerReadyOrder } from './answer-orders.service.js';
import { findSameKeyOrders } from './found-orders.repository.js';
import { asBadCsr, type ClientCsr } from './judge-csr.service.js';
import { findServerOrder, supersedeOrders, updateServerOrder } from './order-changes.repository.js';
import { findReusable, requireIssuanceRoom } from './order-room.service.js';
import type { ServerOrderRow } from './server-orders.repository.js';

// most certificates are there within this time, so that their clients need not ask again
const quickMs = 5000;

/**
 * Begins to issue the certificate of a ready order, waits a moment for it, and returns the order as it is then; undefined if it
 * was not ready any more. Throws `badCSR` for a key that is compromised, `rateLimited`, and `rejectedIdentifier`, which
 * makes the order invalid, if the client may not have its names any more.
 */
export async function issueForClient(
  deps: FrontDeps,
  request: FrontRequest,
  { row }: FrontOrder,
  csr: ClientCsr,
): Promise<FrontOrder | undefined> {
  const begun = await deps.db
    .transaction((tx) => finalize(tx, deps, { request, order: row, csr }))
    .catch((error: unknown) => {
      if (error instanceof NotReady) return undefined;
      throw error;
    });
  if (begun === undefined) return undefined;
  if ('refusal' in begun) throw begun.refusal;
  if ('issuance' in begun) {
    await deps.runner.begin(begun.issuance);
    await deps.runner.whenEnded(begun.issuance.id, quickMs);
  }
  if ('joined' in begun) await deps.runner.whenEnded(begun.joined, quickMs);
  const now = await deps.db.read((tx) => findServerOrder(tx, row.id));
  return now && frontOrderOf(now, deps.clock.now());
}

/** Another request has finalized the order, so that what was begun for it is taken back. */
class NotReady extends Error {}

interface Finalized {
  readonly request: FrontRequest;
  readonly order: ServerOrderRow;
  readonly csr: ClientCsr;
}

/** How the issuance of an order begins: with its refusal, a certificate that is there, one under way, or a new one. */
type Begun =
  | { readonly refusal: AcmeProblem }
  | { readonly answer: CertificateRow }
  | { readonly joined: string }
  | { readonly issuance: IssuanceRow };

async function finalize(tx: Tx, deps: FrontDeps, finalized: Finalized): Promise<Begun | undefined> {
  const { request, order, csr } = finalized;
  await deps.nonces.useIn(tx, request);
  // locked, so that a change of the policy either is seen here or finds the CSR
  await lockSpacesForShare(tx, [order.spaceId]);
  const [fqdn] = await lockFqdns(tx, [order.fqdnId]);
  const client = await findAcmeClient(tx, order.clientId);
  const provider = await lockProviderForShare(tx, order.providerId);
  // without one of them, the order is not ready any more
  if (fqdn === undefined || client === undefined || provider === undefined) return undefined;
  const refusal = await findKeyRefusal(tx, csr.validated);
  if (refusal !== undefined) return asBadCsr(refusal);
  const refused = await findRefusedNames(tx, client, order.identifiers);
  if (refused.length > 0) return refuse(tx, deps, order, refusedIdentifiers(refused));
  return (
    (await takeFormer(tx, deps, finalized)) ??
    (await beginIssuance(tx, deps, finalized, { fqdn, client, provider }))
  );
}

/** Makes an order invalid whose names the client may not have any more. */
async function refuse(
  tx: Tx,
  { clock }: FrontDeps,
  order: ServerOrderRow,
  refusal: AcmeProblem,
): Promise<Begun | undefined> {
  const problem = acmeProblemDocument(refusal);
  const isMine = await updateServerOrder(tx, order, { state: 'invalid', problem, endedAt: clock.now() });
  return isMine ? { refusal } : undefined;
}

/** Columns of an order that is finalized with the CSR. */
function finalizedColumns({ order, csr }: Finalized, now: Date) {
  const { clientId, accountId, identifiersKey } = order;
  const { keyKind, validated } = csr;
  return {
    keyKind,
    spkiSha256: validated.spkiSha256,
    lineage: lineageOf({ clientId, accountId, identifiersKey, keyKind }),
    finalizedAt: now,
  };
}

/** Answers the order with what a former one has for the same key, unless it is to replace that. */
async function takeFormer(tx: Tx, deps: FrontDeps, finalized: Finalized): Promise<Begun | undefined> {
  const { order, csr } = finalized;
  if (order.replaces !== null) return undefined;
  const { valid, processing } = await findSameKeyOrders(tx, order, csr.validated.spkiSha256);
  return (
    (await takeCertificate(tx, deps, finalized, valid)) ??
    (await joinIssuance(tx, deps, finalized, processing))
  );
}

/** Answers the order with the certificate that the same key was issued just before. */
async function takeCertificate(
  tx: Tx,
  deps: FrontDeps,
  finalized: Finalized,
  former: ServerOrderRow | undefined,
): Promise<Begun | undefined> {
  const { order } = finalized;
  const now = deps.clock.now();
  const certificate = await findReusable(tx, former, now);
  if (certificate === undefined) return undefined;
  const answer = { ...finalizedColumns(finalized, now), certificate };
  return (await answerReadyOrder(tx, order, answer, deps)) ? { answer: certificate } : undefined;
}

/** Lets the order wait for the certificate that is being issued for the same key. */
async function joinIssuance(
  tx: Tx,
  { clock }: FrontDeps,
  finalized: Finalized,
  other: ServerOrderRow | undefined,
): Promise<Begun | undefined> {
  const { order } = finalized;
  if (other === undefined || other.issuanceId === null) return undefined;
  const { csrId, issuanceId } = other;
  const change = {
    ...finalizedColumns(finalized, clock.now()),
    state: 'processing',
    csrId,
    issuanceId,
  } as const;
  return (await updateServerOrder(tx, order, change)) ? { joined: issuanceId } : undefined;
}

interface Place {
  readonly fqdn: FqdnRow;
  readonly client: AcmeClientRow;
  readonly provider: ProviderRow;
}

async function beginIssuance(
  tx: Tx,
  { clock }: FrontDeps,
  finalized: Finalized,
  { fqdn, client, provider }: Place,
): Promise<Begun | undefined> {
  const { request, order, csr } = finalized;
  const now = clock.now();
  if (order.replaces === null) await requireIssuanceRoom(tx, order, provider, now);
  const finalColumns = finalizedColumns(finalized, now);
  const caller = callerOfClient(client, request);
  const locked = { fqdn, provider };
  const asked = { caller, order: { ...order, ...finalColumns }, ...locked, locked, csr: csr.validated };
  const begun = await beginClientIssuance(tx, { clock }, asked).catch((error: unknown) => {
    // the order stays ready, as nothing of this transaction is stored
    throw error instanceof InvalidInput ? asBadCsr(error) : error;
  });
  const { issuance, superseded } = begun;
  const ids = { csrId: begun.csr.id, issuanceId: issuance.id };
  const change = { ...finalColumns, ...ids, state: 'processing' } as const;
  if (!(await updateServerOrder(tx, order, change))) throw new NotReady();
  await supersedeOrders(tx, superseded, {
    laterId: order.id,
    problem: failedProblem({ reason: supersededReason }),
    now,
  });
  return { issuance };
}
