import { planAfterRevocation, planRenewal, type RenewalPlan, type RenewalWindow } from '../renewal-policy.js';

/** Facts that decide whether an FQDN is renewed, and when. */
export interface RenewalFacts {
  readonly renewalEnabled: boolean;
  /** Thousandths of the lifetime after which to renew; null for the usual share. */
  readonly renewAfterPermille: number | null;
  /** The FQDN's own provider, asked where the newest certificate has none. */
  readonly providerId: string | null;
  readonly hasCsr: boolean;
  /** The newest CSR has the key of the newest certificate, which was revoked for that key. */
  readonly isKeyCompromised?: boolean;
  /** An ACME client ordered the newest certificate and is expected to renew it. */
  readonly isRenewedByClient?: boolean;
  /** When the CA wants the newest certificate renewed, as far as it said. */
  readonly window?: RenewalWindow | undefined;
  /** The newest one. */
  readonly certificate:
    | {
        readonly id: string;
        readonly notBefore: Date;
        readonly expiresAt: Date;
        /** Who issued it and is asked for the next one; null when it was imported, or when its provider was deleted. */
        readonly providerId: string | null;
        readonly revokedAt: Date | null;
      }
    | undefined;
}

/** Reason why an FQDN is not renewed; of several, the first that people must remove. */
export type Hindrance =
  | 'switched_off'
  | 'no_certificate'
  | 'no_csr'
  | 'no_provider'
  | 'compromised_key'
  | 'renewed_by_client';

export type Outlook =
  | {
      readonly isPlanned: true;
      readonly certificateId: string;
      readonly providerId: string;
      readonly plan: RenewalPlan;
    }
  | { readonly isPlanned: false; readonly hindrance: Hindrance };

/** When the newest certificate of an FQDN is to be renewed and by whom, or why it is not. */
export function outlookOf({
  renewalEnabled,
  renewAfterPermille,
  providerId: ownProviderId,
  hasCsr,
  isKeyCompromised = false,
  isRenewedByClient = false,
  window,
  certificate,
}: RenewalFacts): Outlook {
  if (certificate === undefined) return not('no_certificate');
  // the client would not fetch what another one ordered
  if (isRenewedByClient) return not('renewed_by_client');
  if (!hasCsr) return not('no_csr');
  const { id, notBefore, expiresAt, revokedAt } = certificate;
  const providerId = certificate.providerId ?? ownProviderId;
  if (providerId === null) return not('no_provider');
  if (isKeyCompromised) return not('compromised_key');
  if (!renewalEnabled) return not('switched_off');
  if (revokedAt !== null) {
    return { isPlanned: true, certificateId: id, providerId, plan: planAfterRevocation(revokedAt) };
  }
  const fraction = renewAfterPermille === null ? undefined : renewAfterPermille / 1000;
  const plan = planRenewal({ notBefore, notAfter: expiresAt, window, fraction, seed: id });
  return { isPlanned: true, certificateId: id, providerId, plan };
}

function not(hindrance: Hindrance): Outlook {
  return { isPlanned: false, hindrance };
}

/** The moment of a plan, or now when that has passed. */
export function scheduleOf({ renewAt }: RenewalPlan, now: Date): Date {
  return renewAt < now ? now : renewAt;
}
