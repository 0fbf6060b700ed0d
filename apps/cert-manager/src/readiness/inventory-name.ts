import type { ProviderKindName, RenewalOwner } from '@certloop/contracts';
import type { RuleSubject } from '@certloop/crypto';
import { isPublicName } from '../judging/public-validity.js';
import type { Config } from '../providers/changes/stored-config.js';
import { kindOf } from '../providers/provider-kinds.js';
import type { StatusOutlook } from '../statuses/computed-status.js';

/** A name with a certificate in use. */
export interface InventoryName {
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly fqdn: string;
  readonly notBefore: Date;
  /** The end of the certificate itself. */
  readonly expiresAt: Date;
  /** Distinguished name, as in `CN=R12,O=Let's Encrypt,C=US`. */
  readonly issuer: string;
  readonly renewedBy: RenewalOwner;
  /** Whether it asserts a policy of public CAs, and is for clients too. */
  readonly isPublic: boolean;
  readonly isForClients: boolean;
  readonly outlook: StatusOutlook;
  readonly renewAfterPermille: number | null;
  /** Who is asked for the next certificate. */
  readonly provider: InventoryProvider | undefined;
}

/** Facts of a provider that the rules depend on. */
export interface InventoryProvider {
  readonly id: string;
  readonly displayName: string;
  /** Whether its CA may be a public one. */
  readonly isPublic: boolean;
  /** The CA, where its rules are in the calendar. */
  readonly subject: RuleSubject | undefined;
  /** Profile of the orders; the CA's own choice when absent. */
  readonly profile: string | undefined;
  /** Whether people make the proofs. */
  readonly isManual: boolean;
  /** Whether its CA says when it wants certificates renewed; undefined while it has not been asked. */
  readonly givesAdvice: boolean | undefined;
}

/** A provider as it is stored. */
interface StoredProvider {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly kind: ProviderKindName | null;
  readonly config: Config | null;
}

/** Facts of a provider; `givesAdvice` is known from its renewals. */
export function inventoryProvider(row: StoredProvider, givesAdvice: boolean | undefined): InventoryProvider {
  const { id, displayName, config } = row;
  const kind = kindOf(row);
  const host = hostOf(config?.[kind.addressKey]);
  const { profile, challenge } = (config ?? {}) as { profile?: unknown; challenge?: { type?: unknown } };
  return {
    id,
    displayName,
    isPublic: kind.issuance === 'order' && host !== undefined && mayBePublic(host, config ?? {}),
    subject: host === undefined ? undefined : subjectOfHost(host),
    profile: typeof profile === 'string' ? profile : undefined,
    isManual: challenge?.type === 'manual',
    givesAdvice,
  };
}

function hostOf(address: unknown): string | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).hostname : undefined;
}

/** A CA in a private network, with a TLS certificate of its own or at an address without a public name is private. */
function mayBePublic(host: string, { allowPrivateNetwork, caBundlePem }: Config): boolean {
  return (
    allowPrivateNetwork !== true && caBundlePem === undefined && isPublicName(host) && !/[\d\]]$/.test(host)
  );
}

const hosts: readonly (readonly [RegExp, RuleSubject])[] = [
  [/(?:^|\.)letsencrypt\.org$/, 'lets_encrypt'],
  [/(?:^|\.)pki\.goog$/, 'google'],
  [/(?:^|\.)sectigo\.com$/, 'sectigo'],
  [/(?:^|\.)digicert\.com$/, 'digicert'],
];

function subjectOfHost(host: string): RuleSubject | undefined {
  return hosts.find(([pattern]) => pattern.test(host))?.[1];
}

const organizations: readonly (readonly [RegExp, RuleSubject])[] = [
  [/(?:^|[,+]\s?)O=(?:\\?\(STAGING\\?\) )?Let's Encrypt(?:$|[,+])/, 'lets_encrypt'],
  [/(?:^|[,+]\s?)O=Google Trust Services(?: LLC)?(?:$|[,+])/, 'google'],
  [/(?:^|[,+]\s?)O=Sectigo Limited(?:$|[,+])/, 'sectigo'],
  [/(?:^|[,+]\s?)O=DigiCert\\?,? Inc\.?(?:$|[,+])/, 'digicert'],
];

/** The CA of a certificate by its issuer, where its rules are in the calendar. */
export function subjectOfIssuer(issuer: string): RuleSubject | undefined {
  return organizations.find(([pattern]) => pattern.test(issuer))?.[1];
}
