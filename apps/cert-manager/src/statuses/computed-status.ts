import type { FqdnState } from '@certloop/contracts';
import type { Hindrance, Outlook } from '../renewals/outlook/renewal-outlook.js';
import { type Expected, expectedOf } from './attention.js';
import { expectedOfLineage, firstFailureOf, type Lineage } from './lineages/lineage.js';

/** Problems of an FQDN, the worst first; `client` is a failed order of an ACME client that renews it. */
export const statusProblems = ['revoked', 'forbidden', 'renewal', 'client', 'request', 'served'] as const;
export type StatusProblem = (typeof statusProblems)[number];

/** Whether an FQDN will be renewed, and by an ACME client, or what prevents it. */
export type StatusOutlook =
  | 'planned'
  | 'by_client'
  | 'forbidden'
  | 'provider_off'
  | Exclude<Hindrance, 'renewed_by_client'>;

/** A failure and its time. */
export interface DatedFailure {
  readonly at: Date;
  /** A sentence for people. */
  readonly reason: string;
  /** Number of the try that failed, from 1. */
  readonly attempt?: number;
}

/** Facts that determine the status of an FQDN. */
export interface StatusFacts {
  readonly renewalEnabled: boolean;
  /** End of the accepted expiry; only with renewal off. */
  readonly expiryAcceptedUntil: Date | null;
  /** The newest one. */
  readonly certificate:
    | {
        readonly id: string;
        readonly notBefore: Date;
        readonly expiresAt: Date;
        readonly revokedAt: Date | null;
        /** When it was stored here. */
        readonly createdAt: Date;
        /** The ACME client that ordered it. */
        readonly acmeClientId?: string | null;
      }
    | undefined;
  /** Lineages of ACME clients that are expected to renew, the worst first. */
  readonly lineages?: readonly Lineage[];
  readonly outlook: Outlook;
  /** Renewal date by the rule, even if a renewal is not possible; undefined without a certificate. */
  readonly dueAt: Date | undefined;
  /** When the open entry of the queue runs. */
  readonly scheduledAt: Date | undefined;
  /** The provider that is to be asked is disabled. */
  readonly isProviderDisabled?: boolean;
  /** The policy of the space forbids the renewal. */
  readonly refusal: DatedFailure | undefined;
  /** The last attempt to renew the newest certificate failed. */
  readonly renewalFailure: DatedFailure | undefined;
  /** The last request for a certificate that failed. */
  readonly requestFailure: DatedFailure | undefined;
  /** A server does not serve the expected certificate. */
  readonly served: DatedFailure | undefined;
}

export type ClientPart = 'renews' | 'gone';

/** Status of an FQDN, independent of the time; `stateAt` returns the state at a time. */
export interface ComputedStatus {
  readonly outlook: StatusOutlook;
  /** Whether an ACME client renews the newest certificate, or the client that did is gone; null for all others. */
  readonly client: ClientPart | null;
  readonly certificateId: string | null;
  readonly notBefore: Date | null;
  readonly expiresAt: Date | null;
  /** Next planned renewal. */
  readonly renewAt: Date | null;
  /** Time from which a person must act, unless something changes before; null for never. */
  readonly attentionAt: Date | null;
  /** The worst problem, the start of the problems, and the reason. */
  readonly problem: StatusProblem | null;
  readonly problemAt: Date | null;
  readonly problemReason: string | null;
}

/** Status of an FQDN, computed from the facts. */
export function computeStatus(facts: StatusFacts): ComputedStatus {
  const { certificate, outlook, scheduledAt } = facts;
  const problems = problemsOf(facts);
  const worst = problems.sort(byRank)[0];
  const client = clientPartOf(facts);
  const byClient = client === 'renews' ? expectedOfFacts(facts)?.expectedAt : undefined;
  const plannedAt = outlook.isPlanned ? outlook.plan.renewAt : byClient;
  return {
    outlook: outlookWord(facts),
    client,
    certificateId: certificate?.id ?? null,
    notBefore: certificate?.notBefore ?? null,
    expiresAt: certificate?.expiresAt ?? null,
    renewAt: scheduledAt ?? plannedAt ?? null,
    attentionAt: attentionAtOf(facts, problems),
    problem: worst?.problem ?? null,
    problemAt: worst?.at ?? null,
    problemReason: worst?.reason ?? null,
  };
}

/** The state of an FQDN at `now`. */
export function stateAt(
  { certificateId, expiresAt, problem, attentionAt }: ComputedStatus,
  now: Date,
): FqdnState {
  if (certificateId === null || expiresAt === null) return 'unfinished';
  if (expiresAt <= now) return 'expired';
  if (problem !== null) return 'failing';
  return attentionAt !== null && attentionAt <= now ? 'due' : 'valid';
}

function outlookWord({
  outlook,
  refusal,
  scheduledAt,
  isProviderDisabled = false,
}: StatusFacts): StatusOutlook {
  if (refusal !== undefined && (outlook.isPlanned || scheduledAt !== undefined)) return 'forbidden';
  if (!outlook.isPlanned) return outlook.hindrance === 'renewed_by_client' ? 'by_client' : outlook.hindrance;
  return isProviderDisabled ? 'provider_off' : 'planned';
}

/** Who the newest certificate belongs to; one that is to be renewed with a CSR of a person does not belong to a client. */
export function clientPartOf({ certificate, lineages = [], outlook }: ClientFacts): ClientPart | null {
  if (certificate?.acmeClientId == null || outlook?.isPlanned === true) return null;
  return lineages.length > 0 ? 'renews' : 'gone';
}

type ClientFacts = Pick<StatusFacts, 'certificate' | 'lineages'> & Partial<Pick<StatusFacts, 'outlook'>>;

/** Facts that decide when the next certificate is expected. */
export type ExpectedFacts = ClientFacts & Pick<StatusFacts, 'renewalEnabled' | 'dueAt'>;

/**
 * When the next certificate of an FQDN is expected: that of the newest one, or that of one of its ACME clients, whichever
 * needs people first. Undefined without a certificate.
 */
export function expectedOfFacts(facts: ExpectedFacts): Expected | undefined {
  const { certificate, lineages = [], dueAt } = facts;
  if (certificate === undefined) return undefined;
  const client = clientPartOf(facts);
  const renewalEnabled = facts.renewalEnabled && client === null;
  const own = client === 'renews' ? [] : [expectedOf({ renewalEnabled, dueAt, certificate })];
  const all = [...own, ...lineages.map(expectedOfLineage)];
  return all.reduce((first, one) => (one.attentionAt < first.attentionAt ? one : first));
}

type Problem = DatedFailure & { readonly problem: StatusProblem };

function problemsOf({
  renewalEnabled,
  certificate,
  refusal,
  renewalFailure,
  requestFailure,
  served,
  lineages = [],
}: StatusFacts): Problem[] {
  const revokedAt = certificate?.revokedAt ?? undefined;
  // a certificate that was stored later fulfils the request
  const isOpen = requestFailure !== undefined && !(certificate && certificate.createdAt >= requestFailure.at);
  return [
    ...problemIf('revoked', revokedAt && { at: revokedAt, reason: 'the certificate was revoked' }),
    // with renewal off, neither a policy nor an earlier attempt matters
    ...problemIf('forbidden', renewalEnabled ? refusal : undefined),
    ...problemIf('renewal', renewalEnabled ? renewalFailure : undefined),
    ...problemIf('client', firstFailureOf(lineages)),
    ...problemIf('request', isOpen ? requestFailure : undefined),
    ...problemIf('served', served),
  ];
}

function problemIf(problem: StatusProblem, failure: DatedFailure | undefined): Problem[] {
  return failure === undefined ? [] : [{ ...failure, problem }];
}

const rankOf = ({ problem }: Problem) => statusProblems.indexOf(problem);
const byRank = (one: Problem, other: Problem) => rankOf(one) - rankOf(other);

function attentionAtOf(facts: StatusFacts, problems: readonly Problem[]): Date | null {
  const { renewalEnabled, expiryAcceptedUntil, certificate } = facts;
  const moments = problems.map(({ at }) => at);
  const expected = expectedOfFacts(facts);
  // the check in the monitor falls then without a ping: console and monitor show the same time
  if (certificate !== undefined && expected !== undefined)
    moments.push(certificate.expiresAt, expected.attentionAt);
  if (moments.length === 0) return null;
  const first = new Date(Math.min(...moments.map((moment) => moment.getTime())));
  const isAccepted = !renewalEnabled && expiryAcceptedUntil !== null && expiryAcceptedUntil > first;
  return isAccepted ? expiryAcceptedUntil : first;
}
