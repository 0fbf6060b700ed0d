import type { ProviderKind } from '../provider-kind.js';
import { acmeConfigSchema } from './acme-config.js';

export const acme: ProviderKind = {
  name: 'acme',
  displayName: 'ACME',
  description: 'Obtains certificates from an ACME certificate authority (RFC 8555).',
  schema: acmeConfigSchema,
  secrets: [
    { path: 'eab.hmacKey', sentTo: 'directoryUrl' },
    { path: 'challenge.dns.authHeader', sentTo: 'challenge.dns.url' },
    { path: 'challenge.dns.tsig.secret', sentTo: 'challenge.dns.url' },
    { path: 'challenge.dns.acmeDns.password', sentTo: 'challenge.dns.url' },
  ],
  addressKey: 'directoryUrl',
  addressPaths: ['directoryUrl', 'challenge.dns.url', 'challenge.dns.propagation.resolvers'],
  addressSetting: 'acmeDirectoryUrl',
  issuance: 'order',
  givesAdvice: true,
  // as Let's Encrypt counts duplicates
  maxPerNamesPerWeek: 5,
  // An operator who names the CA to the service has read what that CA asks of them.
  fromAddress: (directoryUrl) => acmeConfigSchema.parse({ directoryUrl, termsOfServiceAgreed: true }),
};
