import { challengeTypes } from '@certloop/contracts';
import { z } from 'zod';
import { rootCertificates } from '../../judging/root-certificate.js';
import { documentAddress, orDefault, orNothing, secretOrMask, wholeNumber } from '../changes/config-rules.js';
import { configLine, dnsConfig } from './dns-config.js';

// RFC 8555 §7.3.4 sends the MAC key in Base64url; 16 octets are the least that any CA issues.
const macKey = z.string().regex(/^[\w-]{22,512}={0,2}$/, 'must be a MAC key in Base64url');

const http01 = z.strictObject({
  /** Consequence of a challenge that cannot be reached from here: nothing, a warning, or the end of the request. */
  selfCheck: orDefault(z.enum(['off', 'warn', 'strict']), 'warn'),
  /** Whether it may look at private and loopback addresses; `allowPrivateNetwork` of the CA does not count here. */
  allowPrivateNetwork: orDefault(z.boolean(), false),
  statelessThumbprint: orDefault(z.literal(false, 'must be false: it is not supported'), false),
});

const challenge = z
  .strictObject({
    type: orDefault(z.enum(challengeTypes), 'http-01'),
    http01: orDefault(http01, http01.parse({})),
    dns: orNothing(dnsConfig),
  })
  .refine(({ type, dns: backend }) => type !== 'dns-01' || backend !== undefined, {
    path: ['dns'],
    message: 'is required for dns-01',
  });

const timeouts = z.strictObject({
  requestMs: orDefault(wholeNumber(1, 60_000), 10_000),
  orderS: orDefault(wholeNumber(1, 3600), 600),
});

const limits = z.strictObject({ maxConcurrency: orDefault(wholeNumber(1, 64), 4) });

/** External account binding (RFC 8555 §7.3.4); clearing its key clears it, as it is useless without one. */
const accountBinding = z
  .strictObject({ kid: configLine, hmacKey: secretOrMask(macKey).nullable() })
  .transform(({ kid, hmacKey }) => (hmacKey === null ? undefined : { kid, hmacKey }));

/** Configuration of an ACME CA (RFC 8555). */
export const acmeConfigSchema = z
  .strictObject({
    directoryUrl: documentAddress,
    contactEmails: orDefault(z.array(z.email('must be an e-mail address').max(254)).max(10), []),
    termsOfServiceAgreed: z.literal(true, 'must be true'),
    eab: orNothing(accountBinding),
    accountKeyType: orDefault(z.enum(['ES256', 'ES384', 'RS256']), 'ES256'),
    profile: orNothing(configLine),
    preferredChain: orNothing(configLine),
    /** Roots that the directory's own TLS certificate may chain to, in addition to the usual ones. */
    caBundlePem: orNothing(rootCertificates),
    challenge: orDefault(challenge, challenge.parse({})),
    timeouts: orDefault(timeouts, timeouts.parse({})),
    limits: orDefault(limits, limits.parse({})),
    allowPrivateNetwork: orDefault(z.boolean(), false),
  })
  .refine(
    ({ challenge: { dns: backend }, allowPrivateNetwork }) =>
      allowPrivateNetwork || !isInTheClear(backend?.url),
    {
      path: ['challenge', 'dns', 'url'],
      message: 'must be https, as it is neither this machine nor are private addresses allowed',
    },
  );

export type AcmeConfig = z.output<typeof acmeConfigSchema>;

/** Whether a backend's address would send its credentials over the network without TLS. */
function isInTheClear(url: string | undefined): boolean {
  if (url?.startsWith('http:') !== true || !URL.canParse(url)) return false;
  return !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
