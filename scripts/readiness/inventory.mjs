// A made-up inventory of 10,000 names, the same each time, whose readiness docs/readiness.md shows.

const day = 86_400_000;
/** Day on which all certificates of the inventory begin, and the first day that it is judged on. */
export const begins = '2026-11-28';

const letsEncrypt = "CN=R12,O=Let's Encrypt,C=US";
const digicert = 'CN=DigiCert Global G2 TLS,O=DigiCert Inc,C=US';
const sectigo = 'CN=Sectigo RSA DV,O=Sectigo Limited,C=GB';

const provider = {
  isPublic: true,
  subject: undefined,
  profile: undefined,
  isManual: false,
  givesAdvice: true,
};
const classic = { ...provider, id: 'classic', displayName: "Let's Encrypt", subject: 'lets_encrypt' };
const tlsserver = { ...classic, id: 'tlsserver', profile: 'tlsserver' };
const byHand = {
  ...provider,
  id: 'manual',
  displayName: 'Sectigo',
  subject: 'sectigo',
  isManual: true,
  givesAdvice: false,
};
const own = { ...provider, id: 'own', displayName: 'Own CA', isPublic: false, givesAdvice: false };

/** Groups of names: how many, what they are in a sentence, and their facts. */
export const groups = [
  [
    4500,
    "renewed at Let's Encrypt, 90 days, without a profile",
    { days: 90, issuer: letsEncrypt, provider: classic },
  ],
  [
    1000,
    "renewed at Let's Encrypt by the profile tlsserver, 45 days",
    { days: 45, issuer: letsEncrypt, provider: tlsserver },
  ],
  [
    700,
    'bought at DigiCert, 199 days, imported; nothing renews them',
    { days: 199, issuer: digicert, renewedBy: 'none', outlook: 'no_csr' },
  ],
  [
    300,
    'the same, for clients too',
    { days: 199, issuer: digicert, renewedBy: 'none', outlook: 'no_csr', isForClients: true },
  ],
  [
    500,
    'ordered at Sectigo, 199 days, proven by hand, for clients too',
    { days: 199, issuer: sectigo, provider: byHand, isForClients: true },
  ],
  [
    500,
    "of Let's Encrypt, 90 days, with renewal off",
    { days: 90, issuer: letsEncrypt, provider: classic, outlook: 'switched_off', renewedBy: 'none' },
  ],
  [
    1000,
    'renewed at a private CA, 365 days',
    { days: 365, issuer: 'CN=Own CA', provider: own, isPublic: false },
  ],
  [
    900,
    'renewed by certbot, 90 days',
    { days: 90, issuer: letsEncrypt, renewedBy: 'acme_client', outlook: 'no_csr' },
  ],
  [
    500,
    'served by watched servers, 199 days',
    { days: 199, issuer: digicert, renewedBy: 'elsewhere', outlook: 'no_csr' },
  ],
  [
    100,
    "internal names of a private CA, whose provider is Let's Encrypt",
    { days: 365, issuer: 'CN=Own CA', isPublic: false, provider: classic, suffix: 'internal' },
  ],
];

/** All names of the inventory. */
export function* inventory() {
  const notBefore = new Date(`${begins}T00:00:00Z`);
  let number = 0;
  for (const [count, , { days, suffix = 'certloop.dev', ...facts }] of groups) {
    const expiresAt = new Date(notBefore.getTime() + days * day - 1000);
    for (let n = 0; n < count; n += 1) {
      number += 1;
      yield {
        fqdnId: `f${number}`,
        spaceId: 's1',
        fqdn: `host-${number}.${suffix}`,
        notBefore,
        expiresAt,
        renewedBy: 'certloop',
        isPublic: true,
        isForClients: false,
        outlook: 'planned',
        renewAfterPermille: null,
        provider: undefined,
        ...facts,
      };
    }
  }
}
