import type { FqdnActivity, FqdnState, RenewalOutlook, RenewalStatus } from '@certloop/contracts';
import type { ComputedStatus } from './computed-status.js';
import { attentionAtOfLineage } from './lineages/lineage.js';
import { failedOrderText, lateText, renewedText, type SpokenLineages } from './lineages/lineage-text.js';

/** Work for an FQDN at this moment. */
export interface AtWork {
  /** The open entry of the renewal queue. */
  readonly renewal:
    | { readonly status: RenewalStatus; readonly scheduledAt: Date; readonly attempt: number }
    | undefined;
  /** The open request for a certificate. */
  readonly job: 'running' | 'waiting' | undefined;
}

/** Returns what happens with an FQDN at this moment. */
export function activityOf({ renewal, job }: AtWork): FqdnActivity | undefined {
  if (job !== undefined) return job === 'running' ? 'requesting' : 'waiting';
  return renewal?.status === 'processing' ? 'renewing' : undefined;
}

/** Whether the FQDN will be renewed at `now`, in the words of the explanation of its renewal. */
export function outlookAt(
  { outlook }: Pick<ComputedStatus, 'outlook'>,
  { renewal }: Pick<AtWork, 'renewal'>,
  now: Date,
): RenewalOutlook {
  if (renewal?.status === 'processing') return 'running';
  if (outlook === 'forbidden' || outlook === 'provider_off') return outlook;
  if (outlook === 'by_client') return 'renewed_by_client';
  if (renewal === undefined) return outlook === 'planned' ? 'unscheduled' : outlook;
  if (renewal.scheduledAt <= now) return 'due';
  return renewal.attempt > 1 ? 'retrying' : 'scheduled';
}

/** Facts in the sentence about an FQDN, in addition to its status. */
export interface ReasonFacts {
  readonly state: FqdnState;
  readonly hasCsr: boolean;
  /** People accept until then that the certificate expires; undefined where they do not. */
  readonly acceptedUntil: Date | undefined;
  /** CertLoop does not renew the certificate, and adopts what its server presents. */
  readonly isRenewedElsewhere: boolean;
  /** The certificate that its server presents becomes the newest one. */
  readonly isAdopting: boolean;
  /** Of ACME clients that are expected to renew it. */
  readonly lineages?: SpokenLineages | undefined;
  /** Host name of the FQDN whose certificate has this name, too. */
  readonly coveredBy?: string | undefined;
  readonly now: Date;
}

/** Cause and remedy if a certificate was adopted from a server and ends soon. */
export const renewalStoppedText =
  'its renewal elsewhere has not brought a newer one: renew it there, or upload a CSR and have it signed here';

/** Returns the text as a sentence of its own. */
export const sentenceOf = (text: string): string => ended(`${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`);

const stoppedSentence = sentenceOf(renewalStoppedText);

/**
 * Returns what an ACME client has missed, if that is why people must act: its order failed, or it is late. `isLate` is
 * whether people must act now.
 */
export function clientNews(
  { problem, attentionAt }: Pick<ComputedStatus, 'problem' | 'attentionAt'>,
  lineages: SpokenLineages | undefined,
  { isLate, now }: { readonly isLate: boolean; readonly now: Date },
): string | undefined {
  if (lineages === undefined) return undefined;
  const [worst] = lineages.lineages;
  if (problem === 'client')
    return worst.failure === undefined ? lateText(lineages, now) : failedOrderText(lineages, now);
  const isWorst = attentionAt !== null && attentionAtOfLineage(worst) <= attentionAt;
  return problem === null && isLate && isWorst ? lateText(lineages, now) : undefined;
}

/** One or two sentences for people: the state of the FQDN, and what to do. */
export function statusReasonOf(status: ComputedStatus, facts: ReasonFacts): string {
  const { expiresAt, problem, attentionAt } = status;
  const isLate = facts.state === 'due' || facts.state === 'expired';
  const news = clientNews(status, facts.lineages, { isLate, now: facts.now });
  if (news !== undefined && facts.acceptedUntil === undefined) return sentenceOf(news);
  switch (facts.state) {
    case 'unfinished': {
      if (problem === null && facts.coveredBy !== undefined)
        return `Covered by the certificate of ${facts.coveredBy}, which an ACME client renews.`;
      const next = facts.hasCsr ? 'Request one, or have the CSR signed.' : nextWithoutCsr(facts);
      return joined('There is no certificate yet.', problem === null ? next : problemText(status));
    }
    case 'expired':
      return joined(`The certificate expired on ${textOf(expiresAt)}.`, causeText(status, facts));
    case 'failing':
      return joined(problemText(status), nextTry(status));
    case 'due':
      return joined(`The certificate expires on ${textOf(expiresAt)}.`, causeText(status, facts));
    case 'valid':
      if (facts.acceptedUntil !== undefined)
        return `The certificate expires on ${textOf(expiresAt)}, which people accept until ${textOf(attentionAt)}.`;
      return status.outlook === 'planned'
        ? `Renews on ${textOf(status.renewAt)}.`
        : joined(`The certificate is valid until ${textOf(expiresAt)}.`, causeText(status, facts));
  }
}

function nextWithoutCsr({ isAdopting }: ReasonFacts): string {
  return isAdopting
    ? 'Its server has not presented a valid one yet: see what is served, or upload a CSR.'
    : 'Upload a CSR.';
}

function causeText(
  status: ComputedStatus,
  { state, acceptedUntil, isRenewedElsewhere, lineages, now }: ReasonFacts,
): string {
  if (status.problem !== null) return problemText(status);
  if (acceptedUntil !== undefined) return `People accept that until ${textOf(acceptedUntil)}.`;
  if (isRenewedElsewhere)
    return state === 'valid'
      ? 'It is renewed elsewhere, and what its server presents next is adopted.'
      : stoppedSentence;
  if (status.outlook === 'by_client' && lineages !== undefined) return sentenceOf(renewedText(lineages, now));
  return outlookHints[status.outlook];
}

/** Why an FQDN is not renewed, and the remedy. */
export const outlookHints: Readonly<Record<ComputedStatus['outlook'], string>> = {
  planned: 'Its renewal is late: see the explanation of its renewal.',
  by_client: 'An ACME client renews it: look at its machine.',
  forbidden: 'The issuance policy of the space forbids its renewal.',
  provider_off: 'The provider that would renew it is disabled: enable it, or have a CSR signed by another.',
  switched_off: 'Automatic renewal is off: switch it on, or request a certificate.',
  no_certificate: '',
  no_csr: 'No CSR is stored, and a renewal needs one: upload a CSR.',
  no_provider: 'No provider can be asked for a renewal: choose one for this FQDN.',
  compromised_key: 'The newest CSR has the key that is compromised: upload a CSR with a new key.',
};

function problemText({ problem, problemAt, problemReason }: ComputedStatus): string {
  const reason = problemReason ?? 'unknown';
  switch (problem) {
    case 'revoked':
      return `The certificate was revoked on ${textOf(problemAt)}.`;
    case 'forbidden':
      return ended(`The next renewal is forbidden by ${reason}`);
    case 'renewal':
      return ended(`The last renewal failed: ${reason}`);
    case 'client':
      return ended(`The last order of its ACME client failed: ${reason}`);
    case 'request':
      return ended(`The last request failed: ${reason}`);
    case 'served':
      return ended(reason);
    case null:
      return '';
  }
}

function nextTry({ problem, outlook, renewAt }: ComputedStatus): string {
  if (problem === 'served' || problem === 'request' || problem === 'forbidden') return '';
  return outlook === 'planned' ? `The next try is at ${textOf(renewAt)}.` : outlookHints[outlook];
}

const textOf = (moment: Date | null): string => moment?.toISOString() ?? 'an unknown date';
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
const joined = (...sentences: readonly string[]): string => sentences.filter((text) => text !== '').join(' ');
