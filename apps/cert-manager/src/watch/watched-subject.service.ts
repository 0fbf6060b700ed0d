import type { WatchWord } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import { findNewestCertificate } from '../certificates/newest-certificates.repository.js';
import { type FqdnRow, findFqdn } from '../fqdns/fqdns.repository.js';
import { findSpace, type SpaceRow } from '../spaces/spaces.repository.js';
import { clientPartOf, type StatusFacts } from '../statuses/computed-status.js';
import { clientNews, outlookHints } from '../statuses/fqdn-status.js';
import { renewedText, spokenOf } from '../statuses/lineages/lineage-text.js';
import { readStatusFacts } from '../statuses/status-rows.service.js';
import { hasAdoptingTarget } from '../targets/targets.repository.js';
import {
  clientNewsText,
  elsewhereText,
  expiryText,
  failedText,
  forbiddenText,
  overdueText,
  type PingedCertificate,
  refusedText,
  revokedText,
  servedText,
  storedText,
  unfinishedText,
} from './pings/ping-text.js';
import { type SignalNow, signalNow } from './signal-now.js';
import { watchModeOf } from './watch-mode.js';

/** Rules that decide, in addition to the FQDN, whether it is watched. */
export interface WatchRules {
  readonly now: Date;
  /** Whether FQDNs with renewal off are watched, too. */
  readonly watchesExpiry: boolean;
}

/** An FQDN that is to have a check, as it is now. */
export interface WatchedSubject {
  readonly fqdn: FqdnRow;
  readonly space: SpaceRow;
  readonly mode: 'renewal' | 'expiry';
  /** The newest one. */
  readonly certificate: CertificateRow | undefined;
  /** It is watched by its expiry, and what its server presents is adopted. */
  readonly isAdopting: boolean;
  readonly facts: StatusFacts;
  readonly now: SignalNow;
  /** The moment of that. */
  readonly at: Date;
}

/** The FQDN if it is to have a check: it is there, its space is watched, and so is it by its mode. */
export async function findWatched(
  tx: Tx,
  fqdnId: string,
  rules: WatchRules,
): Promise<WatchedSubject | undefined> {
  const fqdn = await findFqdn(tx, fqdnId);
  if (fqdn === undefined) return undefined;
  const space = await findSpace(tx, fqdn.spaceId);
  if (space === undefined || space.unwatchedSince !== null) return undefined;
  const certificate = await findNewestCertificate(tx, fqdnId);
  const facts = await readStatusFacts(tx, fqdnId);
  if (facts === undefined) return undefined;
  const mode = await wordOf(tx, { fqdn, facts }, certificate, rules);
  if (mode === 'no' || mode === 'accepted') return undefined;
  const isAdopting = mode === 'expiry' && (await hasAdoptingTarget(tx, fqdnId));
  return {
    fqdn,
    space,
    mode,
    certificate,
    isAdopting,
    facts,
    now: signalNow(facts, rules.now),
    at: rules.now,
  };
}

/** Returns what the monitor watches of an FQDN, in one word. */
export async function watchWordOf(
  tx: Tx,
  fqdn: FqdnRow,
  newest: CertificateRow | undefined,
  rules: WatchRules,
): Promise<WatchWord> {
  const space = await findSpace(tx, fqdn.spaceId);
  if (space === undefined || space.unwatchedSince !== null) return 'no';
  return wordOf(tx, { fqdn, facts: await readStatusFacts(tx, fqdn.id) }, newest, rules);
}

async function wordOf(
  tx: Tx,
  { fqdn, facts }: { readonly fqdn: FqdnRow; readonly facts: StatusFacts | undefined },
  newest: CertificateRow | undefined,
  { now, watchesExpiry }: WatchRules,
): Promise<WatchWord> {
  const mayAdopt = !fqdn.renewalEnabled && newest === undefined;
  const isAdopting = mayAdopt && watchesExpiry && (await hasAdoptingTarget(tx, fqdn.id));
  const client = facts === undefined ? null : clientPartOf(facts);
  const hasLineages = (facts?.lineages ?? []).length > 0;
  const mode = watchModeOf({ ...fqdn, isAdopting, hasLineages, client }, newest, now);
  return mode === 'renewal' || watchesExpiry ? mode : 'no';
}

/** The text of a ping that a certificate was stored, or is there. */
export function announcedText(
  event: Parameters<typeof storedText>[0],
  certificate: CertificateRow,
  subject: WatchedSubject,
): string {
  const { serialNumber, issuer, expiresAt } = certificate;
  return storedText(event, { serialNumber, issuer, expiresAt, renewAt: nextOf(subject) });
}

function nextOf(subject: WatchedSubject): PingedCertificate['renewAt'] {
  const { mode, isAdopting, now, at } = subject;
  const { status, expected } = now;
  const lineages = spokenOf(subject.facts.lineages ?? []);
  if (status.client === 'renews' && lineages !== undefined) return { client: renewedText(lineages, at) };
  if (mode === 'expiry') return isAdopting ? 'elsewhere' : 'never';
  const isPlanned = status.outlook === 'planned' && expected !== undefined;
  return isPlanned ? expected.expectedAt : { hint: outlookHints[status.outlook] };
}

/** How the FQDN stands, in the words of a ping: what is wrong and what to do, or until when all is well. */
export function stateText(subject: WatchedSubject): string {
  const { certificate, mode, isAdopting, now } = subject;
  const { signal, state, status } = now;
  const { problemReason, outlook } = status;
  const news = clientNews(status, spokenOf(subject.facts.lineages ?? []), {
    isLate: signal === 'fail',
    now: subject.at,
  });
  if (news !== undefined) return clientNewsText(news);
  const reason = problemReason ?? 'unknown';
  switch (status.problem) {
    case 'revoked':
      return certificate === undefined
        ? reason
        : revokedText({ ...certificate, isPlanned: outlook === 'planned' });
    case 'forbidden':
      return forbiddenText(reason);
    case 'renewal':
      return failedText({ attempt: subject.facts.renewalFailure?.attempt ?? 1, reason });
    case 'client':
    case 'request':
      return refusedText(reason);
    case 'served':
      return servedText(reason);
    case null:
      break;
  }
  if (certificate === undefined) return unfinishedText;
  if (signal !== 'fail') return announcedText('watched', certificate, subject);
  const isOver = state === 'expired';
  const { expiresAt } = certificate;
  if (mode === 'expiry') return isAdopting ? elsewhereText(expiresAt, isOver) : expiryText(expiresAt, isOver);
  return overdueText(expiresAt, isOver, outlookHints[outlook]);
}
