import type { KeyObject } from 'node:crypto';
import {
  type Account,
  type AcmeCertificate,
  derivedAuthorizationIds,
  type Order,
} from '@certloop/acme-server/rules';
import { certificateLabel, formatPem, importJwk, parsePemBlocks } from '@certloop/crypto';
import { LRUCache } from 'lru-cache';
import type { AcmeClientRow } from '../acme-clients/acme-client.js';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import type { ProviderRow } from '../providers/providers.repository.js';
import type { ServerAccountRow } from './accounts/server-accounts.repository.js';
import type { ServerOrderRow } from './orders/server-orders.repository.js';
import { secondsUntil } from './rules/order-limits.js';
import { lostProblem, retryMomentOf } from './rules/order-problems.js';

/** An account with its client. */
export interface FrontAccount extends Account {
  readonly row: ServerAccountRow;
  /** Undefined once it was deleted. */
  readonly client: AcmeClientRow | undefined;
}

export interface FrontOrder extends Order {
  readonly row: ServerOrderRow;
}

/** A certificate with an order that it was issued for. */
export interface FrontCertificate extends AcmeCertificate {
  readonly order: ServerOrderRow;
  readonly stored: CertificateRow;
  /** Provider whose root a download appends; absent if that is stored, or the provider was deleted. */
  readonly rootProvider?: ProviderRow | undefined;
}

// Each request of an account needs its key, which takes longer to import than to find.
const keys = new LRUCache<string, KeyObject>({ max: 1_000 });

/** Key of an account, which follows from its thumbprint. */
function keyOf({ thumbprint, jwk }: ServerAccountRow): KeyObject {
  const known = keys.get(thumbprint);
  if (known !== undefined) return known;
  const key = importJwk(jwk);
  keys.set(thumbprint, key);
  return key;
}

export function frontAccountOf(row: ServerAccountRow, client: AcmeClientRow | undefined): FrontAccount {
  const { id, jwk, thumbprint, contacts, binding, status, seenAt } = row;
  return {
    id,
    jwk,
    key: keyOf(row),
    thumbprint,
    contacts,
    termsAgreed: false,
    externalAccountBinding: binding,
    deactivatedAt: status === 'deactivated' ? seenAt : undefined,
    revokedAt: status === 'ended' || client === undefined ? seenAt : undefined,
    row,
    client,
  };
}

/** An order as its client sees it at the moment. */
export function frontOrderOf(row: ServerOrderRow, now: Date): FrontOrder {
  const { id, accountId, identifiers, state, expiresAt, createdAt, certificateId } = row;
  const isFinalized = state === 'processing' || state === 'valid';
  const problem = state === 'invalid' ? (row.problem ?? lostProblem) : undefined;
  const retryAt = problem && retryMomentOf(problem, row.endedAt);
  return {
    id,
    accountId,
    identifiers,
    authorizationIds: derivedAuthorizationIds(id, identifiers),
    expires: expiresAt,
    replaces: row.replaces ?? undefined,
    finalizedAt: isFinalized ? (row.finalizedAt ?? createdAt) : undefined,
    // a moment that no clock takes for the future
    availableAt: state === 'valid' ? createdAt : undefined,
    certificateId: certificateId ?? undefined,
    problem,
    retryAfterSeconds: retryAt && secondsUntil(retryAt, now),
    row,
  };
}

export function frontCertificateOf(order: ServerOrderRow, stored: CertificateRow): FrontCertificate {
  const der = leafDerOf(stored);
  return {
    id: stored.id,
    accountId: order.accountId,
    leafPem: formatPem(certificateLabel, der),
    der,
    identifiers: order.identifiers,
    replacedBy: order.replacedBy ?? undefined,
    order,
    stored,
  };
}

/** DER of the certificate itself, without its chain. */
export function leafDerOf({ pem }: Pick<CertificateRow, 'pem'>): Buffer {
  return parsePemBlocks(pem)[0]?.der ?? Buffer.alloc(0);
}
