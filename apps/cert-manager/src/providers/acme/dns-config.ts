import { dnsBackends, scalars } from '@certloop/contracts';
import { z } from 'zod';
import { readNameServer, readServerUrl } from '../../acme/dns/name-server.js';
import { orDefault, orNothing, secretOrMask, serviceAddress, wholeNumber } from '../changes/config-rules.js';

export const configLine = scalars.line(200);

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

export const dnsConfig = z
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
