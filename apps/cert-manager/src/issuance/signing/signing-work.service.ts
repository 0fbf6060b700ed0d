import { yieldBetween } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import type { IssuanceRunner } from '../jobs/issuance-runner.service.js';
import type { RunDeps } from '../jobs/run-issuance.service.js';
import {
  type BeginDeps,
  createSigningStart,
  type SigningCall,
  type SigningDecision,
} from './begin-signing.service.js';
import { endWithoutCertificate } from './end-issuance.service.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { actBeside } from './issuance-state.js';
import { askProvider, createWorker, leaveIssuance } from './issuance-worker.service.js';
import { findIssuance, type IssuanceRow } from './issuances.repository.js';

/** How an issuance ended. */
export type SigningEnd =
  | {
      readonly kind: 'issued';
      readonly certificate: CertificateRow;
      /** Finding that people should know, in a sentence that continues another. */
      readonly finding?: string | undefined;
    }
  /** The CA refused, or its answer was lost; `message` is a sentence for people. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The open job that the call waited for. */
      readonly unfinished?: IssuanceRow;
    };

export interface SigningWorkDeps extends BeginDeps, RunDeps {
  readonly runner: IssuanceRunner;
}

/** Obtains certificates of providers without orders for the calls of this process. */
export interface SigningWork {
  readonly deps: SigningWorkDeps;
  /** Decides what comes of a call, and records the issuance that it begins; as createSigningStart does. */
  decide(call: SigningCall): Promise<SigningDecision>;
  /**
   * Has the CSR of a begun issuance signed and stores the certificate. Rejects with NotFound if the FQDN, the CSR or the
   * provider was deleted in the meantime, and with InvalidInput if the policy, the key or the provider forbids it when the
   * CA's turn has come.
   */
  run(caller: Caller, subject: IssuanceSubject, issuance: IssuanceRow): Promise<SigningEnd>;
  /**
   * How a running issuance ends, in this process or another; has it taken over if its worker is silent. `elsewhere` if it is
   * not running any more and was not run by a call of this process, `limit` if it is running after `ms`. Rejects as `run` does.
   */
  endOf(running: IssuanceRow, ms: number): Promise<SigningEnd | 'elsewhere' | 'limit'>;
  /** Logs that a call waits for a running issuance: for its certificate if it is `joined`, else for its end. */
  noteWaiting(running: IssuanceRow, isJoined: boolean): void;
}

type Ends = Map<string, Promise<SigningEnd>>;

export function createSigningWork(deps: SigningWorkDeps): SigningWork {
  const ends: Ends = new Map();
  return {
    deps,
    decide: createSigningStart(deps),
    run: (caller, subject, issuance) => {
      const end = signClaimed(deps, caller, subject, issuance).finally(() => ends.delete(issuance.id));
      ends.set(issuance.id, end);
      return end;
    },
    endOf: (running, ms) => awaitEnd(deps, ends, running, ms),
    noteWaiting: ({ id: issuance, fqdnId }, isJoined) =>
      deps.logger.info({ fqdnId, issuance }, isJoined ? 'issuance.joined' : 'issuance.waiting_for_other'),
  };
}

async function signClaimed(
  deps: SigningWorkDeps,
  caller: Caller,
  subject: IssuanceSubject,
  issuance: IssuanceRow,
): Promise<SigningEnd> {
  const worker = createWorker(deps, issuance);
  try {
    const outcome = await askProvider(worker, subject);
    if (!outcome.isSigned) {
      await endWithoutCertificate(deps.emit, { worker, subject, refusal: outcome });
      if (outcome.error !== undefined) throw outcome.error;
      return { kind: 'failed', message: outcome.reason };
    }
    const certificate = await deps.storeIssued({ ...subject, caller, issued: outcome, worker });
    return { kind: 'issued', certificate, finding: outcome.finding };
  } catch (error) {
    // unless it has ended: the CA may have issued, and other calls need not wait until the lease expires
    await leaveIssuance(deps, issuance);
    throw error;
  } finally {
    worker.release();
  }
}

const pollMs = 250;

async function awaitEnd(
  { db, clock, runner, stopping }: SigningWorkDeps,
  ends: Ends,
  running: IssuanceRow,
  ms: number,
): Promise<SigningEnd | 'elsewhere' | 'limit'> {
  const deadline = performance.now() + ms;
  for await (const _round of yieldBetween()) {
    const left = deadline - performance.now();
    const here = ends.get(running.id);
    if (here !== undefined) return orLimit(here, left);
    const row = await db.read((tx) => findIssuance(tx, running.id));
    const act = row === undefined ? 'ignore' : actBeside(row, running, clock.now());
    if (row === undefined || act === 'ignore') return 'elsewhere';
    if (left <= 0 || stopping.aborted) return 'limit';
    if (act === 'take over') await runner.takeOver(row);
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, pollMs)));
  }
  return 'elsewhere';
}

/** Returns what the work resolves with, or `limit` after `ms`. */
function orLimit<T>(work: Promise<T>, ms: number): Promise<T | 'limit'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('limit'), Math.max(ms, 0));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
