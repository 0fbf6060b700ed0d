import { renewalIdOf } from '@certloop/acme-server/rules';
import { parseCertificate } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import type { DbDeps } from '../../db-deps.js';
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
}

/** Ends the orders that wait for the issuance. */
export async function endOrders(tx: Tx, end: IssuanceEnd, { clock, emit }: AnswerDeps): Promise<void> {
  const { id } = end.issuance;
  if ('certificate' in end) {
    const answered = await answerOrdersOf(tx, id, certificateColumns(end.certificate, clock.now()));
    return emitChange(tx, emit, answered, 'issued');
  }
  const failed = await failOrdersOf(tx, id, failedProblem(end.problem), clock.now());
  await emitChange(tx, emit, failed, 'failed');
}

/** Answers a ready order with a certificate that is there already; false if it was not ready any more. */
export async function answerReadyOrder(
  tx: Tx,
  order: ServerOrderRow,
  answer: Partial<ServerOrderRow> & { readonly certificate: CertificateRow },
  { clock, emit }: AnswerDeps,
): Promise<boolean> {
  const { certificate, ...finalized } = answer;
  const change = { ...finalized, ...certificateColumns(certificate, clock.now()), state: 'valid' } as const;
  if (!(await updateServerOrder(tx, order, change))) return false;
  const answered = { ...order, ...change };
  await markNewestOrder(tx, answered);
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
