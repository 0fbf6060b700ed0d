import type { RenewalOutlook } from '@certloop/contracts';
import { type Hindrance, type Outlook, scheduleOf } from '../outlook/renewal-outlook.js';
import type { RenewalState } from '../renewal-entry.js';
import type { RenewalPlan } from '../renewal-policy.js';

/** Situation of the renewal of an FQDN at a moment. */
export interface RenewalSituation {
  readonly now: Date;
  readonly outlook: Outlook;
  /** The open entry. */
  readonly open: Pick<RenewalState, 'status' | 'scheduledAt' | 'attempt'> | undefined;
  /** The last try for the newest certificate, when it failed. */
  readonly failure: { readonly reason: string } | undefined;
  /** When the newest certificate was revoked. */
  readonly revokedAt?: Date | undefined;
  /** The newest certificate was imported. */
  readonly isImported?: boolean;
  /** The newest certificate was adopted from a server. */
  readonly isAdopted?: boolean;
  /** An ACME client ordered the newest certificate. */
  readonly isOfClient?: boolean;
  /** How the ACME client stands that renews it; undefined if none does. */
  readonly clientText?: string | undefined;
  /** Why the policy of the space does not allow it. */
  readonly forbidden?: string | undefined;
  /** Why the provider cannot be asked now. */
  readonly obstacle: string | undefined;
  readonly isProviderDisabled?: boolean;
}

export interface Explanation {
  readonly outlook: RenewalOutlook;
  readonly willRenew: boolean;
  /** When it runs, or is tried again. */
  readonly scheduledAt: Date | undefined;
  /** One sentence for people. */
  readonly message: string;
}

/** When and why an FQDN is renewed, or why it is not. */
export function explanationOf(situation: RenewalSituation): Explanation {
  const { outlook, open, now } = situation;
  const isUnderWay = open?.status === 'processing';
  if (situation.forbidden !== undefined && (outlook.isPlanned || open !== undefined) && !isUnderWay) {
    return explainForbidden(situation, situation.forbidden);
  }
  if (open !== undefined) return explainOpen(situation, open);
  if (outlook.isPlanned && situation.isProviderDisabled)
    return { ...never('provider_off'), message: situation.obstacle ?? 'its provider is disabled' };
  if (!outlook.isPlanned)
    return { ...never(outlook.hindrance), message: hindranceOf(situation, outlook.hindrance) };
  const scheduledAt = scheduleOf(outlook.plan, now);
  const message = `about to be queued for ${scheduledAt.toISOString()}, ${ruleOf(outlook.plan)}`;
  return { outlook: 'unscheduled', willRenew: true, scheduledAt, message };
}

function explainForbidden({ open }: RenewalSituation, reason: string): Explanation {
  const next = open === undefined ? '' : `; the next try is at ${open.scheduledAt.toISOString()}`;
  const message = `forbidden by ${reason}${next}, or as soon as the policy allows it`;
  return { outlook: 'forbidden', willRenew: false, scheduledAt: open?.scheduledAt, message };
}

function never(outlook: RenewalOutlook): Omit<Explanation, 'message'> {
  return { outlook, willRenew: false, scheduledAt: undefined };
}

const byClientText = 'an ACME client renews it';

const hindrances: Readonly<Record<Hindrance, string>> = {
  switched_off: 'automatic renewal is switched off for this FQDN',
  no_certificate: 'there is no certificate to renew yet: request one',
  no_csr: 'no CSR is stored for this FQDN, and a renewal needs one: upload a CSR',
  no_provider: 'the newest certificate has no provider that could renew it: have a CSR signed by a provider',
  compromised_key:
    'the newest certificate was revoked because its key is compromised, and the newest CSR has the same key: upload a CSR with a new key',
  renewed_by_client: byClientText,
};

/** Why the scheduler leaves a certificate to its ACME client; `clientText` names the client and how it stands. */
export function renewedByClientText(clientText: string | undefined): string {
  const who = clientText ?? byClientText;
  return `${who}. CertLoop itself does not renew it, as only its client fetches what it has ordered`;
}

const goneText =
  'an ACME client ordered the newest certificate and is no longer expected to renew it; to renew it here, upload a CSR and have it signed';

// an imported certificate came without a CSR and without a provider
const hindrancesOfImported: Partial<Record<Hindrance, string>> = {
  no_csr: 'the newest certificate was imported, and no CSR is stored for this FQDN: upload a CSR',
  no_provider:
    'the newest certificate was imported, and this FQDN has no provider: choose one for it, or have a CSR signed before the certificate expires',
};

const adoptedText =
  'the newest certificate was adopted from its server and is renewed elsewhere; to renew it here, upload a CSR, choose a provider and have the CSR signed';

/** Why there is no renewal, and that one is missed where the newest certificate was revoked. */
function hindranceOf(
  { revokedAt, isImported, isAdopted, isOfClient, clientText }: RenewalSituation,
  hindrance: Hindrance,
): string {
  if (isAdopted === true) return adoptedText;
  if (hindrance === 'renewed_by_client') return renewedByClientText(clientText);
  if (isOfClient === true && hindrance === 'no_csr') return goneText;
  const why = (isImported === true ? hindrancesOfImported[hindrance] : undefined) ?? hindrances[hindrance];
  if (revokedAt === undefined || hindrance === 'compromised_key') return why;
  return `${why}; the newest certificate was revoked at ${revokedAt.toISOString()}`;
}

function explainOpen(
  { now, outlook, failure, obstacle, isProviderDisabled = false }: RenewalSituation,
  { status, scheduledAt, attempt }: NonNullable<RenewalSituation['open']>,
): Explanation {
  const at = scheduledAt.toISOString();
  const explained = (word: RenewalOutlook, message: string) =>
    ({
      outlook: isProviderDisabled ? 'provider_off' : word,
      willRenew: obstacle === undefined,
      scheduledAt,
      message,
    }) as const;
  if (status === 'processing')
    return { outlook: 'running', willRenew: true, scheduledAt, message: `try ${attempt} is under way` };
  const since = failure === undefined ? '' : `, because the last try failed: ${failure.reason}`;
  const why = outlook.isPlanned ? `, ${ruleOf(outlook.plan)}` : '';
  const revoked = outlook.isPlanned && outlook.plan.rule === 'revoked' ? why : '';
  if (scheduledAt <= now) {
    const due = `due since ${at}${revoked}`;
    return explained('due', obstacle === undefined ? `${due}${since}` : `${due}, but ${obstacle}`);
  }
  const word = attempt > 1 ? 'retrying' : 'scheduled';
  if (obstacle !== undefined) return explained(word, `planned for ${at}, but ${obstacle}`);
  if (attempt > 1) return explained('retrying', `try ${attempt} at ${at}${revoked}${since}`);
  return explained('scheduled', `renews at ${at}${why}`);
}

function ruleOf({ rule, fraction = 0, earliest, latest, isResting }: RenewalPlan): string {
  const spread =
    'varied by up to 5 % of the remaining lifetime, so that not all certificates are renewed at once';
  const sentences: Readonly<Record<RenewalPlan['rule'], string>> = {
    window: `because the CA asks for a renewal between ${earliest.toISOString()} and ${latest.toISOString()}`,
    fraction: `after ${Math.round(fraction * 1000) / 10} % of its lifetime, as set for this FQDN, ${spread}`,
    two_thirds: `after two thirds of its lifetime, ${spread}`,
    half: `after half of its lifetime, which is 10 days or less, ${spread}`,
    revoked: `because the certificate was revoked at ${earliest.toISOString()}`,
  };
  return isResting === true
    ? `${sentences[rule]}, but not directly after the previous renewal`
    : sentences[rule];
}
