import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type Logger, SecretUnreadable } from '@certloop/server';
import { getCertificate } from '../../certificates/certificates.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { lockFqdn } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { Provider, RenewalAdvice } from '../../providers/provider.js';
import { getProvider, type ProviderRow } from '../../providers/providers.repository.js';
import { claimAdvice } from '../queue/due-renewals.repository.js';
import type { RenewalEvents } from '../queue/settle-renewal.service.js';
import { findRenewal, type RenewalRow, updateRenewal } from '../renewals.repository.js';
import { rescheduleEntry } from '../reschedule-entry.service.js';
import { adviceLeaseUntil, nextAdvice, nextAdviceAfterFault } from './advice-times.js';

export interface AdviceDeps extends DbDeps {
  readonly logger: Logger;
  readonly opener: ProviderOpener;
  readonly emit: Pick<RenewalEvents, 'renewalAdvised'>;
}

/** Result of the question: `none` from a CA that gives no advice, `fault` from one that could not be asked. */
type Answer = RenewalAdvice | 'none' | 'fault';

const batch = 8;

/**
 * Asks CAs when they want certificates renewed (RFC 9773), those whose turn it is, and moves the entries. A CA that
 * does not answer blocks nothing: what it said last holds, or the rule. False when there is more to ask.
 */
export async function askAdvice(deps: AdviceDeps): Promise<boolean> {
  const { db, clock } = deps;
  const now = clock.now();
  const until = adviceLeaseUntil(now);
  const entries = await db.transaction((tx) => claimAdvice(tx, { now, until, limit: batch }));
  const open = openedOnce(deps.opener);
  await Promise.all(
    entries.map(async (entry) => {
      const answer = await ask(deps, open, entry);
      await storeAdvice(deps, entry, answer).catch(unlessGone);
    }),
  );
  return entries.length < batch;
}

type Open = (row: ProviderRow) => Provider;

/** Opens each provider once: opening an ACME provider reads the directory of its CA. */
function openedOnce(opener: ProviderOpener): Open {
  const opened = new Map<string, Provider>();
  return (row) => {
    const provider = opened.get(row.id) ?? opener.openForSigning(row);
    opened.set(row.id, provider);
    return provider;
  };
}

async function ask({ db, logger }: AdviceDeps, open: Open, entry: RenewalRow): Promise<Answer> {
  try {
    const { pem, provider } = await db.read((tx) => findSubject(tx, entry));
    const { adviseRenewal } = open(provider);
    return (await adviseRenewal?.(pem)) ?? 'none';
  } catch (error) {
    if (!(error instanceof AppError || error instanceof SecretUnreadable)) throw error;
    logger.warn({ entryId: entry.id, reason: error.message }, 'renewal.advice_unavailable');
    return 'fault';
  }
}

async function findSubject(tx: Tx, { fqdnId, certificateId, providerId }: RenewalRow) {
  const { pem } = await getCertificate(tx, fqdnId, certificateId);
  return { pem, provider: await getProvider(tx, providerId) };
}

/** Writes down what the CA said, unless the entry has changed in the meantime. Throws NotFound when the FQDN is gone. */
async function storeAdvice(
  { db, clock, logger, emit }: AdviceDeps,
  asked: RenewalRow,
  answer: Answer,
): Promise<void> {
  const now = clock.now();
  const change = changeBy(answer, now);
  await db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, asked.spaceId, asked.fqdnId);
    if (!(await updateRenewal(tx, asked, change))) return;
    const entry = await findRenewal(tx, asked.id);
    // one that is due stays due: a user may have run it
    if (entry !== undefined && entry.scheduledAt > now) await rescheduleEntry(tx, fqdn, entry, now);
    if (isNews(asked, answer)) await emit.renewalAdvised(tx, { fqdn });
  });
  if (answer === 'none' || answer === 'fault' || isSame(asked, answer)) return;
  const { start, end, explanationUrl } = answer;
  logger.info({ entryId: asked.id, start, end, explanationUrl }, 'renewal.window_received');
}

function changeBy(answer: Answer, now: Date): Partial<RenewalRow> {
  if (answer === 'fault') return { adviceDueAt: nextAdviceAfterFault(now) };
  if (answer === 'none') {
    return {
      adviceDueAt: nextAdvice(now, undefined),
      windowStart: null,
      windowEnd: null,
      explanationUrl: null,
    };
  }
  const { start, end, explanationUrl, retryAt } = answer;
  return {
    adviceDueAt: nextAdvice(now, retryAt),
    windowStart: start,
    windowEnd: end,
    explanationUrl: explanationUrl ?? null,
  };
}

function isNews(asked: RenewalRow, answer: Answer): boolean {
  if (answer === 'fault') return false;
  return answer === 'none' ? asked.windowStart !== null : !isSame(asked, answer);
}

function isSame({ windowStart, windowEnd }: RenewalRow, { start, end }: RenewalAdvice): boolean {
  return windowStart?.getTime() === start.getTime() && windowEnd?.getTime() === end.getTime();
}

/** An FQDN that was deleted in the meantime needs no advice. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
}
