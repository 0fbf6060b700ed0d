import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type BatchEnd, batched } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { listNewestCertificateIds } from '../../certificates/newest-certificates.repository.js';
import { csrNotFound, listLatestCsrs } from '../../csrs/csrs.repository.js';
import { findNameRefusals } from '../../csrs/name-refusals.service.js';
import { createKeyValidator } from '../../csrs/validated-keys.store.js';
import type { DbDeps } from '../../db-deps.js';
import { fqdnNotFound, lockFqdns } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { listProvidersById, providerNotFound } from '../../providers/providers.repository.js';
import { jobCallerOf } from '../jobs/job-audit.js';
import { findObstacles, type IssuanceSubject } from './find-obstacles.service.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { type IssuanceRow, insertRunning, listRunning, noClient } from './issuances.repository.js';

/** A call of csr/sign: whose CSR is to be signed, and by whom. */
export interface SigningCall {
  readonly caller: Caller;
  readonly spaceId: string;
  readonly fqdnId: string;
  readonly providerId: string;
}

/** Decision about a call before a CA is asked. */
export type SigningDecision = { readonly subject: IssuanceSubject } & (
  | { readonly kind: 'begun'; readonly issuance: IssuanceRow }
  /** Another call is at work on the FQDN; undefined if it has ended in the meantime. */
  | {
      readonly kind: 'busy';
      readonly running: IssuanceRow | undefined;
      /** The newest certificate of the FQDN at that moment. */
      readonly newestId: string | undefined;
    }
  /** The provider issues by orders. */
  | { readonly kind: 'order' }
  | { readonly kind: 'refused'; readonly refusal: InvalidInput }
);

export interface BeginDeps extends DbDeps {
  readonly opener: ProviderOpener;
  /** Milliseconds that the claim of an issuance lasts. */
  readonly leaseMs: number;
}

// as many as one transaction records in a few milliseconds
const maxTogether = 32;

/**
 * A function that decides what comes of a call, and records the issuance that it begins, before the CA is asked. Calls at
 * the same time share a transaction. Rejects with NotFound if the space has no such FQDN, that has no CSR, or the provider
 * is missing, and with InvalidInput if the provider is disabled or lacks a part of its configuration, or the CSR has a weak
 * RSA key.
 */
export function createSigningStart(deps: BeginDeps): (call: SigningCall) => Promise<SigningDecision> {
  const validateKey = createKeyValidator();
  const requireOpen = ({ csr, provider }: IssuanceSubject) => {
    validateKey(csr);
    deps.opener.openForSigning(provider);
  };
  return batched(
    (calls: readonly SigningCall[]) =>
      deps.db.transaction(async (tx) => {
        const found = await findSubjects(tx, calls);
        const ends = found.map((end) => endOf(end, requireOpen));
        const open = calls.flatMap((call, index) => {
          const end = ends[index];
          return end?.status === 'fulfilled' ? [{ ...call, subject: end.value }] : [];
        });
        const decisions = open.length === 0 ? [] : await decide(tx, deps, open);
        return ends.map((end): BatchEnd<SigningDecision> => {
          if (end.status === 'rejected') return end;
          const value = decisions.find(({ subject }) => subject === end.value);
          if (value === undefined) throw new Error('no decision for a call');
          return { status: 'fulfilled', value };
        });
      }),
    maxTogether,
  );
}

/**
 * Returns the subjects that the calls name. The FQDNs are locked, so that a certificate of a call before is seen, or
 * its issuance.
 */
async function findSubjects(tx: Tx, calls: readonly SigningCall[]): Promise<BatchEnd<IssuanceSubject>[]> {
  const ids = [...new Set(calls.map(({ fqdnId }) => fqdnId))];
  const asked = [...new Set(calls.map(({ providerId }) => providerId))];
  const fqdns = new Map((await lockFqdns(tx, ids)).map((fqdn) => [fqdn.id, fqdn]));
  const csrs = new Map((await listLatestCsrs(tx, ids)).map((csr) => [csr.fqdnId, csr]));
  const providers = new Map((await listProvidersById(tx, asked)).map((provider) => [provider.id, provider]));
  return calls.map(({ spaceId, fqdnId, providerId }): BatchEnd<IssuanceSubject> => {
    const fqdn = fqdns.get(fqdnId);
    if (fqdn?.spaceId !== spaceId) return { status: 'rejected', reason: fqdnNotFound() };
    const csr = csrs.get(fqdnId);
    if (csr === undefined) {
      return { status: 'rejected', reason: csrNotFound('no CSR is stored for this FQDN') };
    }
    const provider = providers.get(providerId);
    if (provider === undefined) return { status: 'rejected', reason: providerNotFound() };
    return { status: 'fulfilled', value: { fqdn, csr, provider } };
  });
}

function endOf(
  end: BatchEnd<IssuanceSubject>,
  requireOpen: (subject: IssuanceSubject) => void,
): BatchEnd<IssuanceSubject> {
  if (end.status === 'rejected') return end;
  try {
    requireOpen(end.value);
    return end;
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

interface OpenCall {
  readonly caller: Caller;
  readonly subject: IssuanceSubject;
}

/** The decisions on calls, in their order; records what is begun. */
async function decide(tx: Tx, deps: BeginDeps, calls: readonly OpenCall[]): Promise<SigningDecision[]> {
  const subjects = calls.map(({ subject }) => subject);
  const obstacles = await findObstacles(tx, deps.opener, subjects);
  const held = await findNameRefusals(
    tx,
    calls.map(({ caller, subject: { fqdn, csr } }) => ({ caller, fqdn, csr })),
  );
  const allowed: OpenCall[] = [];
  const decisions = calls.map(({ caller, subject }, index): SigningDecision | undefined => {
    const obstacle = obstacles[index];
    if (obstacle instanceof InvalidInput) return { kind: 'refused', subject, refusal: obstacle };
    if (obstacle !== undefined) throw obstacle;
    // a job judges the names as it begins
    if (kindOf(subject.provider).issuance === 'order') return { kind: 'order', subject };
    const refusal = held[index];
    if (refusal !== undefined) return { kind: 'refused', subject, refusal };
    allowed.push({ caller, subject });
    return undefined;
  });
  const begun = await record(tx, deps, allowed);
  return decisions.map((decision) => {
    const made = decision ?? begun.shift();
    if (made === undefined) throw new Error('no decision for a call');
    return made;
  });
}

/** Records the calls whose FQDNs have no running issuance; the others wait for that. */
async function record(tx: Tx, deps: BeginDeps, calls: readonly OpenCall[]): Promise<SigningDecision[]> {
  if (calls.length === 0) return [];
  const fqdnIds = [...new Set(calls.map(({ subject }) => subject.fqdn.id))];
  const newest = new Map((await listNewestCertificateIds(tx, fqdnIds)).map(({ fqdnId, id }) => [fqdnId, id]));
  const rows = calls.map((call) => newIssuance(deps, call, newest.get(call.subject.fqdn.id)));
  const inserted = await insertRunning(tx, rows);
  const isAllBegun = inserted.size === rows.length;
  const running = isAllBegun ? [] : await listRunning(tx, fqdnIds);
  return calls.map(({ subject }, index): SigningDecision => {
    const issuance = rows[index];
    if (issuance !== undefined && inserted.has(issuance.id)) return { kind: 'begun', subject, issuance };
    const { id: fqdnId } = subject.fqdn;
    return {
      kind: 'busy',
      subject,
      running: running.find((one) => one.fqdnId === fqdnId),
      newestId: newest.get(fqdnId),
    };
  });
}

/** The running row of a request that begins; `newestId` is the newest certificate of the FQDN. */
export function newIssuance(
  { clock, leaseMs }: Pick<BeginDeps, 'clock' | 'leaseMs'>,
  { caller, subject: { fqdn, csr, provider } }: OpenCall,
  newestId: string | undefined,
): IssuanceRow {
  const now = clock.now();
  return {
    ...directIssuance,
    id: randomUUID(),
    fqdnId: fqdn.id,
    fqdn: fqdn.fqdn,
    spaceId: fqdn.spaceId,
    csrId: csr.id,
    spkiSha256: csr.spkiSha256,
    providerId: provider.id,
    idempotencyKey: idempotencyKeyOf({ fqdnId: fqdn.id, csrId: csr.id, newestId }),
    caller: jobCallerOf(caller),
    leaseUntil: new Date(now.getTime() + leaseMs),
    createdAt: now,
  };
}

/** Values that all issuances of providers without orders have when they begin. */
export const directIssuance = {
  cause: 'sign',
  isOrder: false,
  state: 'running',
  attempt: 1,
  leaseUntil: null,
  nextAt: null,
  orderUrl: null,
  orderState: null,
  issued: null,
  steps: {},
  isConfirmed: true,
  replacesId: null,
  certificateId: null,
  code: null,
  message: 'in progress',
  finishedAt: null,
  ...noClient,
} as const satisfies Partial<IssuanceRow>;
