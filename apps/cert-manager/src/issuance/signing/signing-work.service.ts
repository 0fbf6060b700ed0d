import { AppError } from '@certloop/contracts';
import { yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { isSendingCsr } from '../../acme/orders/order-steps.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import type { OrderProgress, SignOutcome } from '../../providers/provider.js';
import {
  type BeginDeps,
  createSigningStart,
  type SigningCall,
  type SigningDecision,
} from './begin-signing.service.js';
import type { createObstacleCheck, IssuanceSubject } from './find-obstacles.service.js';
import { adoptFormerRequests } from './former-signing.service.js';
import { extendLease } from './issuance-lease.service.js';
import { actBeside, changeOf } from './issuance-state.js';
import { claimIssuance, findIssuance, type IssuanceRow, updateIssuance } from './issuances.repository.js';
import { recoverIssuance } from './recover-issuance.service.js';
import { type RefuseDeps, recordRefusal } from './refuse-signing.service.js';
import type { StoreDeps } from './store-issued.service.js';
import { createSignedStore } from './store-signed.service.js';

/** How an issuance ended. */
export type SigningEnd =
  | {
      readonly kind: 'issued';
      readonly certificate: CertificateRow;
      /** What people should know about it, in a sentence that continues another. */
      readonly finding?: string | undefined;
    }
  /** The CA refused, or its answer was lost; `message` is a sentence for people. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The open job that the call waited for. */
      readonly unfinished?: IssuanceRow;
    };

export interface SigningWorkDeps extends BeginDeps {
  readonly emit: StoreDeps['emit'] & RefuseDeps['emit'];
  readonly logger: Logger;
  /** Rejects if the policy, the key or the provider forbids what is about to be sent to the CA. */
  readonly check: ReturnType<typeof createObstacleCheck>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** What obtains certificates of providers without orders, for the calls of this process and for those that died. */
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
   * How a running issuance ends, in this process or another; takes it over if its worker is silent. `elsewhere` if it is
   * not running any more and this process does not know its end, `limit` if it is running after `ms`. Rejects as `run` does.
   */
  endOf(running: IssuanceRow, ms: number): Promise<SigningEnd | 'elsewhere' | 'limit'>;
  /** Logs that a call waits for a running issuance: for its certificate if it is `joined`, else for its end. */
  noteWaiting(running: IssuanceRow, isJoined: boolean): void;
  /** Asks CAs again for calls whose process died, or whose CA's answer was lost. */
  recover(): Promise<void>;
}

type Ends = Map<string, Promise<SigningEnd | 'elsewhere'>>;

export function createSigningWork(deps: SigningWorkDeps): SigningWork {
  const ends: Ends = new Map();
  const signer = { ...deps, storeSigned: createSignedStore(deps) };
  const follow = <T extends SigningEnd | 'elsewhere'>(issuance: IssuanceRow, work: Promise<T>) => {
    const end = work.finally(() => ends.delete(issuance.id));
    ends.set(issuance.id, end);
    return end;
  };
  const takeOver = (claimed: IssuanceRow) => follow(claimed, recoverClaimed(signer, claimed));
  return {
    deps,
    decide: createSigningStart(deps),
    run: (caller, subject, issuance) => follow(issuance, signClaimed(signer, caller, subject, issuance)),
    endOf: (running, ms) => awaitEnd({ deps, ends, takeOver }, running, ms),
    noteWaiting: ({ id: issuance, fqdnId }, isJoined) =>
      deps.logger.info({ fqdnId, issuance }, isJoined ? 'issuance.joined' : 'issuance.waiting_for_other'),
    recover: async () => {
      await adoptFormerRequests(deps);
      for await (const _round of yieldBetween()) {
        const now = deps.clock.now();
        const claimed = await deps.db.transaction((tx) => claimIssuance(tx, now, deps));
        if (claimed === undefined) return;
        await takeOver(claimed);
      }
    },
  };
}

interface SignerDeps extends SigningWorkDeps {
  readonly storeSigned: ReturnType<typeof createSignedStore>;
}

async function signClaimed(
  deps: SignerDeps,
  caller: Caller,
  subject: IssuanceSubject,
  issuance: IssuanceRow,
): Promise<SigningEnd> {
  const release = extendLease(deps, issuance);
  try {
    const outcome = await ask(deps, caller, subject, issuance);
    if (!outcome.isSigned) {
      await recordRefusal(deps, { caller, subject, issuance }, outcome);
      return { kind: 'failed', message: outcome.reason };
    }
    const certificate = await deps.storeSigned({ ...subject, caller, issued: outcome, issuance });
    return { kind: 'issued', certificate, finding: outcome.finding };
  } catch (error) {
    await leaveUnknown(deps, issuance);
    throw error;
  } finally {
    release();
  }
}

/** The CA's answer. If the CA must not be asked after all, that is recorded, and the error thrown. */
async function ask(
  deps: SignerDeps,
  caller: Caller,
  subject: IssuanceSubject,
  issuance: IssuanceRow,
): Promise<SignOutcome> {
  const { csr, provider } = subject;
  try {
    const progress = checkedAtTurn(() => deps.check(subject));
    return await deps.opener.openForSigning(provider).sign(csr.csrPem, progress, issuance.idempotencyKey);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await recordRefusal(deps, { caller, subject, issuance }, { reason: error.message, code: error.code });
    throw error;
  }
}

/** There is no order with the CA to come back to, but policy, key and provider may change while the call waits. */
function checkedAtTurn(check: () => Promise<void>): OrderProgress {
  return {
    stored: undefined,
    store: async () => undefined,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change)) await check();
    },
  };
}

/** Unless it has ended: the CA may have issued, and other calls need not wait until the lease expires. */
async function leaveUnknown(deps: SigningWorkDeps, issuance: IssuanceRow): Promise<void> {
  const change = changeOf(issuance, { kind: 'lose', now: deps.clock.now() }, deps);
  await deps.db
    .transaction((tx) => updateIssuance(tx, issuance, { ...change }))
    .catch((error: unknown) => deps.logger.warn({ issuance: issuance.id, error }, 'signing.not_released'));
}

/** How a taken-over issuance ended for the calls that wait for it: they are decided anew if it got no certificate. */
async function recoverClaimed(deps: SignerDeps, claimed: IssuanceRow): Promise<SigningEnd | 'elsewhere'> {
  deps.logger.warn({ request: claimed.id, attempt: claimed.attempt }, 'signing.taken_over');
  const release = extendLease(deps, claimed);
  try {
    const certificate = await recoverIssuance(deps, claimed);
    return certificate === undefined ? 'elsewhere' : { kind: 'issued', certificate };
  } catch (error) {
    deps.logger.error({ request: claimed.id, error }, 'signing.recovery_failed');
    return 'elsewhere';
  } finally {
    release();
  }
}

const pollMs = 250;

interface Waiting {
  readonly deps: SigningWorkDeps;
  readonly ends: Ends;
  readonly takeOver: (claimed: IssuanceRow) => Promise<SigningEnd | 'elsewhere'>;
}

async function awaitEnd(
  { deps, ends, takeOver }: Waiting,
  running: IssuanceRow,
  ms: number,
): Promise<SigningEnd | 'elsewhere' | 'limit'> {
  const deadline = performance.now() + ms;
  for await (const _round of yieldBetween()) {
    const left = deadline - performance.now();
    const here = ends.get(running.id);
    if (here !== undefined) return orLimit(here, left);
    const row = await deps.db.read((tx) => findIssuance(tx, running.id));
    const now = deps.clock.now();
    const act = row === undefined ? 'ignore' : actBeside(row, running, now);
    if (row === undefined || act === 'ignore') return 'elsewhere';
    const change = act === 'take over' ? changeOf(row, { kind: 'claim', now }, deps) : undefined;
    if (change !== undefined) {
      const isMine = await deps.db.transaction((tx) => updateIssuance(tx, row, change));
      if (isMine) void takeOver({ ...row, ...change });
    } else if (left <= 0 || deps.stopping.aborted) {
      return 'limit';
    } else {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, pollMs)));
    }
  }
  return 'elsewhere';
}

/** What the work resolves with, or `limit` after `ms`. */
function orLimit<T>(work: Promise<T>, ms: number): Promise<T | 'limit'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('limit'), Math.max(ms, 0));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
