import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import {
  hostText,
  probeFailures,
  probeStages,
  servedAddressSchema,
  servedClasses,
  targetMode,
  targetPort,
  targetProtocol,
} from './targets.js';

const maxServers = 100;

/** A server to watch. */
const serverInput = z.object({
  /** Host name or IP address. */
  host: hostText,
  /** The usual port of the protocol if absent: 443, or that of STARTTLS. */
  port: targetPort.optional(),
  protocol: targetProtocol.optional(),
  /** Name that the server is asked for; the FQDN if absent, or the host if the FQDN is a wildcard. */
  sni: hostText.optional(),
  /** The FQDN, perhaps a wildcard; `sni` if absent, or else the host. */
  fqdn: hostText.optional(),
  /** `report`: another machine reports what is served there. */
  mode: targetMode.optional(),
});
export type WatchedServerInput = z.output<typeof serverInput>;

/** Certificate that a server presents; hex is lower-case without colons. */
const presentedSchema = z.object({
  issuer: z.string(),
  serialNumber: z.string(),
  notBefore: scalars.instant,
  notAfter: scalars.instant,
  /** SHA-256 over the DER of the certificate. */
  fingerprint: scalars.hex,
  /** At most 100 of its names. */
  dnsNames: z.array(z.string()),
  /** The certificates that were sent, the leaf first. */
  chain: z.array(
    z.object({
      subject: z.string(),
      issuer: z.string(),
      notAfter: scalars.instant,
      fingerprint: scalars.hex,
    }),
  ),
  /** Whether its signature and its intermediates hold as far as they were sent; whether the root is trusted is not judged. */
  verified: z.boolean(),
  /** Why they do not hold. */
  unverifiedReason: z.string().optional(),
});

/** Outcome for a server that was to be watched. */
export const watchedServerSchema = z
  .object({
    host: z.string(),
    port: z.int(),
    protocol: targetProtocol,
    /** These are absent if the server was refused. */
    sni: z.string().optional(),
    fqdn: z.string().optional(),
    fqdnId: scalars.uuid.optional(),
    targetId: scalars.uuid.optional(),
    /** Whether this call added them; `isNewCertificate`: whether it stored what is served. */
    isNewFqdn: z.boolean(),
    isNewTarget: z.boolean(),
    isNewCertificate: z.boolean(),
    /** The newest certificate of the FQDN; absent if there is none. */
    certificateId: scalars.uuid.optional(),
    /** True if newer certificates that are served there are adopted; absent if the FQDN has one that CertLoop obtained. */
    adopt: z.boolean().optional(),
    /** The worst of its addresses. */
    class: z.enum(servedClasses).optional(),
    /** Of several addresses, the certificate that ends first. */
    served: presentedSchema.optional(),
    addresses: z.array(servedAddressSchema).optional(),
    /** Why there was no handshake, if no address had one. */
    failure: z
      .object({ stage: z.enum(probeStages), failure: z.enum(probeFailures), hint: z.string() })
      .optional(),
    /** True if there was no time to probe it: it is probed within minutes. */
    pending: z.boolean().optional(),
    /** Why it is not watched. Nothing was stored for it. */
    refusal: z.object({ code: z.string(), message: z.string(), field: z.string().optional() }).optional(),
  })
  .meta({ id: 'WatchedServer' });
export type WatchedServer = z.output<typeof watchedServerSchema>;

export const watchedServersContract = {
  watchServers: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/watched-servers',
    summary: 'Watch what servers present: adds FQDNs and targets, probes them now for up to 20 seconds',
    params: z.object({ spaceId: scalars.uuid }),
    body: {
      kind: 'json',
      schema: z.object({
        servers: z
          .array(serverInput)
          .min(1, 'must have at least one entry')
          .max(maxServers, `must have at most ${maxServers} entries`),
      }),
    },
    responses: {
      200: json(
        z.object({ servers: z.array(watchedServerSchema) }),
        'The servers in the order of the request',
      ),
    },
    failures: [400, 401, 403, 404, 429],
  }),
};
