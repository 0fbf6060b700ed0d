import { type AcmeOrder, AppError, type StepStatus } from '@certloop/contracts';
import { exportJwk, keyAuthorization } from '@certloop/crypto';
import { type AuthorizationAt, chooseChallenge } from './order-plan.js';
import { type ProofRecord, provenName } from './order-record.js';
import type { OrderRun } from './order-run.service.js';
import type { ChallengeItem } from './order-steps.js';

/** A person must publish a proof before the order can continue. */
export class OrderWaits extends AppError {
  constructor(message: string) {
    super('conflict', message, { code: 'waiting_manual' });
  }
}

/**
 * Publishes the proofs that the authorizations require, then asks the CA to validate them. Throws OrderWaits if a
 * person must publish them.
 */
export async function proveControl(run: OrderRun, authorizations: readonly AuthorizationAt[]): Promise<void> {
  const { prover, client, account, journal, atMoment } = run.deps;
  const chosen = authorizations.map(({ authorization }): ProofRecord => {
    const { identifier, wildcard } = authorization;
    const challenge = chooseChallenge(authorization, prover.wanted);
    return { ...challenge, identifier, isWildcard: wildcard === true };
  });
  const proofs = await Promise.all(chosen.map((proof) => locate(run, proof)));
  await run.store({ proofs: merged(run.record.proofs ?? [], proofs) });
  await atMoment('proofs_stored');
  if (prover.isManual && journal.isConfirmed !== true) await waitForPeople(run, proofs);
  for (const proof of proofs) {
    await reportItem(run, proof, { status: 'running' });
    await prover.present(proof, answerFor(run, proof));
  }
  await atMoment('published');
  await Promise.all(proofs.map((proof) => check(run, proof)));
  for (const { url } of proofs) {
    await client.answerChallenge(account, url);
    run.answered.add(url);
  }
  await atMoment('answered');
}

/** The proof with the place where it was published before, or else with the place where it belongs now. */
async function locate({ deps, record }: OrderRun, proof: ProofRecord): Promise<ProofRecord> {
  const known = record.proofs?.find(({ url }) => url === proof.url);
  return known ?? deps.prover.locate(proof);
}

/** Checks the proof from here. A failure is only a warning, since the CA may still see the proof. */
async function check(run: OrderRun, proof: ProofRecord): Promise<void> {
  const warning = await run.deps.prover.check(proof, answerFor(run, proof));
  if (warning !== undefined) await reportItem(run, proof, { status: 'running', detail: warning });
}

async function waitForPeople(run: OrderRun, proofs: readonly ProofRecord[]): Promise<never> {
  for (const proof of proofs) {
    const publish = run.deps.prover.instruction(proof, answerFor(run, proof));
    run.items.set(provenName(proof), { type: proof.type, status: 'waiting_manual', publish });
  }
  const message = 'waiting until someone has published the proofs listed under challenges';
  await run.report('challenges', { status: 'waiting_manual', detail: message, items: itemsOf(run) });
  throw new OrderWaits(message);
}

function answerFor({ deps }: OrderRun, { token }: ProofRecord): string {
  return keyAuthorization(token, exportJwk(deps.account.privateKey));
}

function merged(known: readonly ProofRecord[], more: readonly ProofRecord[]): ProofRecord[] {
  return [...new Map([...known, ...more].map((proof) => [proof.url, proof])).values()];
}

async function reportItem(
  run: OrderRun,
  proof: ProofRecord,
  item: Omit<ChallengeItem, 'type'>,
): Promise<void> {
  run.items.set(provenName(proof), { type: proof.type, ...item });
  await run.report('challenges', { status: 'running', items: itemsOf(run) });
}

/** Reports which names the CA accepts as proven, and which it does not. */
export async function reportProven(
  run: OrderRun,
  { status }: AcmeOrder,
  authorizations: readonly AuthorizationAt[],
): Promise<void> {
  for (const { authorization } of authorizations) {
    const name = provenName({
      identifier: authorization.identifier,
      isWildcard: authorization.wildcard === true,
    });
    if (authorization.status === 'valid') settleItem(run, name, 'ok');
    else if (authorization.status !== 'pending') settleItem(run, name, 'failed');
  }
  const has = (wanted: StepStatus) => [...run.items.values()].some((item) => item.status === wanted);
  if (status === 'pending' || status === 'invalid') {
    if (has('failed')) await run.report('challenges', { status: 'running', items: itemsOf(run) });
    return;
  }
  for (const name of run.items.keys()) settleItem(run, name, 'ok');
  const proven = has('warning') ? 'warning' : 'ok';
  await run.report('challenges', { status: proven, items: itemsOf(run) });
}

/** An item that went well in spite of a warning keeps it. */
function settleItem({ items }: OrderRun, name: string, status: 'ok' | 'failed'): void {
  const item = items.get(name) ?? { type: 'known', status };
  const isWarned = status === 'ok' && item.detail !== undefined;
  items.set(name, { ...item, status: isWarned ? 'warning' : status });
}

function itemsOf({ items }: OrderRun): Record<string, ChallengeItem> {
  return Object.fromEntries(items);
}

/** Removes the published proofs. A failure to do so does not fail the order. */
export async function withdrawProofs(run: OrderRun): Promise<void> {
  for (const proof of run.record.proofs ?? []) {
    await run.deps.prover.withdraw(proof, answerFor(run, proof));
  }
}
