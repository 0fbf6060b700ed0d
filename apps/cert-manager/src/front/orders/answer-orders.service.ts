import { renewalIdOf } from '@certloop/acme-server/rules';
import { parseCertificate } from '@certloop/crypto';
import { afterCommit, type Tx } from '@certloop/db';
import { findAcmeClient } from '../../acme-clients/acme-clients.repository.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import type { DbDeps } from '../../db-deps.js';
import type { CountOrder, OrderOutcome } from '../count-order.js';
import { leafDerOf } from '../front-records.service.js';
import type { LineageEvents } from '../lineages/lineage-events.service.js';
import { failedProblem, type IssuanceProblem } from '../rules/order-problems.js';
import {
  answerOrdersOf,
  type CertificateColumns,
  failOrdersOf,
  markNewestOrder,
  updateServerOrder,
} from './order-changes.repository.js';
import type { ServerOrderRow } from './server-orders.repository.js';

/** The end of an issuance for orders of ACME clients, with its certificate or the reason why there is none. */
export type IssuanceEnd = { readonly issuance: { readonly id: string } } & (
  | { readonly certificate: CertificateRow }
  | { readonly problem: IssuanceProblem }
);

export interface AnswerDeps extends Pick<DbDeps, 'clock'> {
  readonly emit: LineageEvents;
  /** Absent where nothing is counted. */
  readonly countOrder?: CountOrder | undefined;
}

/** Ends the orders that wait for the issuance. */
export async function endOrders(tx: Tx, end: IssuanceEnd, deps: AnswerDeps): Promise<void> {
  const { clock, emit } = deps;
  const { id } = end.issuance;
  if ('certificate' in end) {
    const answered = await answerOrdersOf(tx, id, certificateColumns(end.certificate, clock.now()));
    await countEnded(tx, deps, answered, 'issued');
    return emitChange(tx, emit, answered, 'issued');
  }
  const failed = await failOrdersOf(tx, id, failedProblem(end.problem), clock.now());
  await countEnded(tx, deps, failed, 'failed');
  await emitChange(tx, emit, failed, 'failed');
}

/** Answers a ready order with a certificate that is there already; false if it was not ready any more. */
export async function answerReadyOrder(
  tx: Tx,
  order: ServerOrderRow,
  answer: Partial<ServerOrderRow> & { readonly certificate: CertificateRow },
  deps: AnswerDeps,
): Promise<boolean> {
  const { clock, emit } = deps;
  const { certificate, ...finalized } = answer;
  const change = { ...finalized, ...certificateColumns(certificate, clock.now()), state: 'valid' } as const;
  if (!(await updateServerOrder(tx, order, change))) return false;
  const answered = { ...order, ...change };
  await markNewestOrder(tx, answered);
  await countEnded(tx, deps, [answered], 'reused');
  await emitChange(tx, emit, [answered], 'issued');
  return true;
}

function certificateColumns(certificate: CertificateRow, now: Date): CertificateColumns {
  return {
    certificateId: certificate.id,
    renewalId: renewalIdOf(parseCertificate(leafDerOf(certificate))),
    notBefore: certificate.notBefore,
    notAfter: leafEndOf(certificate),
    endedAt: now,
  };
}

async function emitChange(
  tx: Tx,
  emit: LineageEvents,
  orders: readonly ServerOrderRow[],
  cause: 'issued' | 'failed',
): Promise<void> {
  if (orders.length === 0) return;
  const places = new Map(orders.map(({ fqdnId: id, spaceId }) => [id, { id, spaceId }]));
  await emit.lineagesChanged(tx, { fqdns: [...places.values()], cause });
}

/** Counts orders of one client once the transaction is committed. */
async function countEnded(
  tx: Tx,
  { countOrder }: AnswerDeps,
  orders: readonly ServerOrderRow[],
  outcome: OrderOutcome,
): Promise<void> {
  const [first] = orders;
  if (first === undefined || countOrder === undefined) return;
  const name = (await findAcmeClient(tx, first.clientId))?.name ?? 'other';
  afterCommit(tx, () => {
    for (const _ of orders) countOrder(name, outcome);
  });
}
