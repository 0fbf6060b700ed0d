import type { RenewalExplanation, WatchWord } from '@certloop/contracts';
import { endsView } from '../../certificates/in-use.js';
import type { RenewalPlan } from '../renewal-policy.js';
import { renewalView, type ShownRenewal } from '../renewal-view.js';
import type { Explanation } from './explanation.js';

/** Renewal of an FQDN with what is shown of it. */
interface ShownAccount {
  readonly fqdn: { readonly id: string; readonly spaceId: string; readonly renewalEnabled: boolean };
  readonly certificate:
    | {
        readonly id: string;
        readonly notBefore: Date;
        readonly expiresAt: Date;
        readonly leafExpiresAt: Date | null;
        readonly revokedAt: Date | null;
      }
    | undefined;
  readonly provider:
    | { readonly id: string; readonly name: string; readonly obstacle: string | undefined }
    | undefined;
  readonly plan: RenewalPlan | undefined;
  readonly explanationUrl: string | undefined;
  readonly entry: ShownRenewal | undefined;
  readonly failure: { readonly attempt: number; readonly at: Date; readonly reason: string } | undefined;
  readonly explanation: Explanation;
  readonly watched: WatchWord;
}

/** When and why an FQDN is renewed, as the API shows it. */
export function explanationView(account: ShownAccount): RenewalExplanation {
  const { fqdn, certificate, provider, plan, entry, failure, explanation } = account;
  const { scheduledAt } = explanation;
  return {
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    renewalEnabled: fqdn.renewalEnabled,
    watched: account.watched,
    willRenew: explanation.willRenew,
    outlook: explanation.outlook,
    message: explanation.message,
    ...(scheduledAt !== undefined && { scheduledAt: scheduledAt.toISOString() }),
    ...(certificate !== undefined && { certificate: certificateView(certificate) }),
    ...(provider !== undefined && { provider: providerView(provider) }),
    ...(plan !== undefined && { plan: planView(plan, account.explanationUrl) }),
    ...(entry !== undefined && { entry: renewalView(entry) }),
    ...(failure !== undefined && { failure: { ...failure, at: failure.at.toISOString() } }),
  };
}

function certificateView(certificate: NonNullable<ShownAccount['certificate']>) {
  const { id, notBefore, revokedAt } = certificate;
  return {
    id,
    notBefore: notBefore.toISOString(),
    ...endsView(certificate),
    ...(revokedAt !== null && { revokedAt: revokedAt.toISOString() }),
  };
}

function providerView({ id, name, obstacle }: NonNullable<ShownAccount['provider']>) {
  return { id, name, ...(obstacle !== undefined && { obstacle }) };
}

function planView(
  { rule, fraction, earliest, latest, renewAt }: RenewalPlan,
  explanationUrl: string | undefined,
) {
  return {
    rule,
    ...(fraction !== undefined && { fraction }),
    earliest: earliest.toISOString(),
    latest: latest.toISOString(),
    renewAt: renewAt.toISOString(),
    ...(rule === 'window' && explanationUrl !== undefined && { explanationUrl }),
  };
}
