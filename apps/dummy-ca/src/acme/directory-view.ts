import type { AcmeDirectory } from '@certloop/contracts';
import type { AcmeSettings } from './acme-settings.js';
import { describeProfile } from './issuance/acme-profile.js';
import type { AcmeLinks } from './protocol/acme-links.js';

/** Directory (RFC 8555 §7.1.1). */
export function directoryView(links: AcmeLinks, settings: AcmeSettings): AcmeDirectory {
  const { termsOfService, profiles, requireExternalAccount } = settings;
  return {
    newNonce: links.of('newNonce'),
    newAccount: links.of('newAccount'),
    newOrder: links.of('newOrder'),
    newAuthz: links.of('newAuthz'),
    revokeCert: links.of('revokeCert'),
    keyChange: links.of('keyChange'),
    renewalInfo: links.of('renewalInfo'),
    meta: {
      ...(termsOfService !== undefined && { termsOfService }),
      externalAccountRequired: requireExternalAccount,
      profiles: Object.fromEntries(profiles.map((profile) => [profile.name, describeProfile(profile)])),
    },
  };
}
