import { challengeTypes, dnsBackends, scalars } from '@certloop/contracts';
import { z } from 'zod';
import { readNameServer, readServerUrl } from '../../acme/dns/name-server.js';
import { rootCertificates } from '../../judging/root-certificate.js';
import {
  documentAddress,
  orDefault,
  orNothing,
  secretOrMask,
  serviceAddress,
  wholeNumber,
} from '../changes/config-rules.js';

const configLine = scalars.line(200);

const header = z
  .string()
  .max(4000)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be the value of an HTTP header');

// RFC 8945 §5.1: as long as the hash, but no less than half of it.
const tsigSecret = z.string().regex(/^[A-Za-z0-9+/]{22,512}={0,2}$/, 'must be a TSIG key in Base64');

/** Name of a TSIG key, in the form of a host name (RFC 8945 §4.2). */
const tsigName = z
  .string()
  .max(254)
  .regex(
    /^(?:[!--/-~]{1,63}\.)*[!--/-~]{1,63}\.?$/,
    'must be the name of a key, in labels of at most 63 characters',
  );

/** Name of a DNS record: absolute, in lower case, without the final dot. */
const recordName = z
  .string()
  .max(254)
  .regex(/^(?:[\w-]{1,63}\.)*[\w-]{1,63}\.?$/, 'must be the name of a DNS record')
  .transform((text) => text.replace(/\.$/, '').toLowerCase());

const nameServer = z
  .string()
  .max(60)
  .refine((text) => readNameServer(text) !== undefined, 'must be an IP address, with or without a port');

const serverUrl = z
  .string()
  .max(300)
  .refine((text) => readServerUrl(text) !== undefined, 'must be an http, https or dns address');

const propagation = z.strictObject({
  /** Name servers that are asked about CNAME records, zones and what they show; this machine's when empty. */
  resolvers: orDefault(z.array(nameServer).max(10), []),
  timeoutS: orDefault(wholeNumber(1, 3600), 180),
  intervalS: orDefault(wholeNumber(1, 300), 5),
});

const acmeDns = z.strictObject({
  username: configLine,
  password: secretOrMask(header),
  subdomain: configLine,
  /** Name that `_acme-challenge` names point to by CNAME, as the server returned it. */
  fullDomain: orNothing(recordName),
});

const dnsConfig = z
  .strictObject({
    kind: z.enum(dnsBackends),
    url: z.union([serviceAddress, serverUrl], 'must be an http, https or dns address'),
    authHeader: orNothing(secretOrMask(header)),
    mode: orDefault(z.enum(['fqdn-value', 'raw']), 'fqdn-value'),
    propagation: orDefault(propagation, propagation.parse({})),
    /** Key of a name server that takes signed updates, by hmac-sha256. */
    tsig: orNothing(z.strictObject({ name: tsigName, secret: secretOrMask(tsigSecret) })),
    /** Zone that updates go to; the one that each record lies in when absent. */
    zone: orNothing(recordName),
    /** Account with an acme-dns server. */
    acmeDns: orNothing(acmeDns),
    /** Name that carries the records instead of the one that is proven. */
    alias: orNothing(recordName),
  })
  .refine(({ kind, url }) => (kind === 'rfc2136') === url.startsWith('dns:'), {
    path: ['url'],
    message: 'must be a dns address for rfc2136, and an http or https address otherwise',
  })
  .refine(({ kind, tsig }) => kind !== 'rfc2136' || tsig !== undefined, {
    path: ['tsig'],
    message: 'is required for rfc2136',
  })
  .refine(({ kind, acmeDns }) => kind !== 'acme-dns' || acmeDns !== undefined, {
    path: ['acmeDns'],
    message: 'is required for acme-dns',
  });

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
