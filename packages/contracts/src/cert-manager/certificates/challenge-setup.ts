import { z } from 'zod';
import * as scalars from '../../scalars.js';

export const challengeTypes = ['http-01', 'dns-01', 'manual'] as const;

/** Web servers that the lines of a challenge's setup are written for. */
const webServers = ['nginx', 'apache', 'caddy', 'haproxy', 'traefik'] as const;

export const dnsBackends = ['webhook', 'rfc2136', 'acme-dns'] as const;

/** Setup that is needed before a CA can see that the names of an FQDN are under control; nothing of it is secret. */
export const challengeSetupSchema = z
  .object({
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    /** Whom a request for a certificate asks. */
    provider: z.object({ id: scalars.uuid, name: z.string() }).optional(),
    /** Absent when the provider asks for no proof, or is not configured. */
    type: z.enum(challengeTypes).optional(),
    /** Next action, for people. */
    message: z.string(),
    /** Names that an order proves: those of the newest CSR, else the FQDN alone. */
    names: z.array(z.string()),
    /** Why they cannot be proven in this way. */
    obstacle: z.string().optional(),
    http01: z
      .object({
        path: z.string(),
        /** Address that requests for the path are passed on to. */
        target: z.string(),
        /** Address that a redirect with status 302 leads to, the token at its end; absent where CAs do not follow. */
        redirect: z.string().optional(),
        servers: z.array(z.object({ server: z.enum(webServers), config: z.string() })),
      })
      .optional(),
    dns01: z
      .object({
        backend: z.enum(dnsBackends),
        records: z.array(
          z.object({
            name: z.string(),
            type: z.enum(['CNAME', 'TXT']),
            /** Absent for a record whose value changes with each order. */
            value: z.string().optional(),
            /** Whether someone sets it once, or this service at each order. */
            setBy: z.enum(['you', 'service']),
          }),
        ),
      })
      .optional(),
    /** Proofs that a request waits for someone to publish. */
    waiting: z.array(
      z.object({
        jobId: scalars.uuid,
        name: z.string(),
        type: z.string(),
        place: z.string(),
        content: z.string(),
      }),
    ),
  })
  .meta({ id: 'ChallengeSetup' });

export type ChallengeSetup = z.output<typeof challengeSetupSchema>;
