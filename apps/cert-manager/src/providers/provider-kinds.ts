import { type ProviderKindName, providerKindNames } from '@certloop/contracts';
import type { z } from 'zod';
import { acmeConfigSchema } from './acme/acme-config.js';
import type { Config } from './changes/stored-config.js';
import { dummyCaConfigSchema } from './dummy-ca/dummy-ca-config.js';

/** What is fixed about a provider: its words for people, the rules of its configuration, its addresses. */
export interface ProviderKind {
  readonly name: ProviderKindName;
  readonly displayName: string;
  readonly description: string;
  readonly schema: z.ZodType<Config>;
  /** Dotted paths of what is written but never shown. */
  readonly secretPaths: readonly string[];
  /** Key that holds the address of the service. */
  readonly addressKey: 'baseUrl' | 'directoryUrl';
  /** Dotted paths of every address that is called, and of every list of them. */
  readonly addressPaths: readonly string[];
  /** `direct`: a call to sign is answered with the certificate. `order`: the CA wants names proven first (RFC 8555). */
  readonly issuance: 'direct' | 'order';
  /** Whether such a CA may say when it wants a certificate renewed (RFC 9773). */
  readonly givesAdvice: boolean;
  /** Configuration that an address alone, set by the operator, stands for. */
  fromAddress(address: string): Config;
}

export const providerKinds: Readonly<Record<ProviderKindName, ProviderKind>> = {
  'dummy-ca': {
    name: 'dummy-ca',
    displayName: 'Dummy certificate authority',
    description: 'Signs CSRs at once, for tests and for closed networks.',
    schema: dummyCaConfigSchema,
    secretPaths: [],
    addressKey: 'baseUrl',
    addressPaths: ['baseUrl'],
    issuance: 'direct',
    givesAdvice: false,
    fromAddress: (baseUrl) => dummyCaConfigSchema.parse({ baseUrl }),
  },
  acme: {
    name: 'acme',
    displayName: 'ACME',
    description: 'Obtains certificates from an ACME certificate authority (RFC 8555).',
    schema: acmeConfigSchema,
    secretPaths: [
      'eab.hmacKey',
      'challenge.dns.authHeader',
      'challenge.dns.tsig.secret',
      'challenge.dns.acmeDns.password',
    ],
    addressKey: 'directoryUrl',
    addressPaths: ['directoryUrl', 'challenge.dns.url', 'challenge.dns.propagation.resolvers'],
    issuance: 'order',
    givesAdvice: true,
    // An operator who names the CA to the service has read what that CA asks of them.
    fromAddress: (directoryUrl) => acmeConfigSchema.parse({ directoryUrl, termsOfServiceAgreed: true }),
  },
};

/** The kind of a provider: what it can do is asked here, never by its name. */
export function kindOf({ kind, name }: KindNames): ProviderKind {
  const kindName = kind ?? providerKindNames.find((known) => known === name);
  if (kindName === undefined) throw new Error(`the provider ${name} has no kind`);
  return providerKinds[kindName];
}

/** A provider by its names; the first of each kind, which the service makes, is named after its kind. */
interface KindNames {
  readonly kind: ProviderKindName | null;
  readonly name: string;
}
