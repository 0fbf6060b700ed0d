import type { Operation } from '../access/route-needs.js';

const usualMs = 30_000;
/** The longest that a request for a certificate may be asked to wait, and ten seconds. */
const maxMs = 130_000;

/** Operations that wait for an authority or a newer certificate, or judge, change or delete very many rows. */
const waiting: ReadonlySet<Operation> = new Set([
  'requestCertificate',
  'signCsr',
  'refreshCertificate',
  'revokeCertificate',
  'testProvider',
  'deliverCertificate',
  'setIssuancePolicy',
  'changeFqdns',
  'deleteSpace',
  'deleteSpaceFqdns',
  'deleteAllFqdns',
  'deleteAllCsrs',
  'deleteAuditLogs',
]);

/** Milliseconds until an operation must have an answer. */
export function answerMs(operation: Operation): number {
  return waiting.has(operation) ? maxMs : usualMs;
}
