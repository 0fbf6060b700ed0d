import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { pageQuery } from './pages.js';
import { byFqdn, messageSchema } from './replies.js';
import { targetProtocols } from './words.js';

/** Verdicts on what an address serves, in the order in which they are judged; the first that holds counts. */
export const servedClasses = [
  'unreachable',
  'expired',
  'not_yet_valid',
  'name_mismatch',
  'chain_incomplete',
  'current',
  'previous',
  'stale',
  'reissued_elsewhere',
  'foreign',
] as const;
export type ServedClass = (typeof servedClasses)[number];

/** Steps of a probe at which it can end without a handshake. */
export const probeStages = [
  'dns',
  'not_allowed',
  'refused',
  'connect',
  'preamble',
  'tls',
  'timeout',
] as const;

/** Why a probe ended without a handshake. */
export const probeFailures = [
  'wrong_protocol',
  'starttls_not_offered',
  'starttls_refused',
  'name_not_found',
  'look_up_failed',
  'address_not_allowed',
  'port_not_allowed',
  'connection_refused',
  'no_route',
  'connection_failed',
  'connection_closed',
  'too_many_bytes',
  'bytes_before_tls',
  'no_tls',
  'tls_refused',
  'tls_failed',
  'certificate_unreadable',
  'timed_out',
] as const;

// the longest form is a host name before its conversion to ASCII
export const hostText = z.string().max(1000, 'must be at most 1000 characters');
const addressText = z.string().max(64, 'must be an IP address');
const seconds = (min: number) => z.int().min(min).max(31_536_000);

export const targetMode = z.enum(['probe', 'report']);
export const targetProtocol = z.enum(targetProtocols);
export const targetPort = z.int().min(1).max(65_535);

/** A place where the certificate of an FQDN is served. */
export const targetSchema = z
  .object({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    host: z.string(),
    port: z.int(),
    protocol: targetProtocol,
    /** Name that the server is asked for. */
    sni: z.string(),
    /** Addresses that are connected to instead of those of the host. */
    addresses: z.array(z.string()).optional(),
    /** `probe`: this service connects; `report`: the command line or an agent reports what it sees. */
    mode: targetMode,
    everySeconds: z.int(),
    /** Seconds for which an earlier certificate, or a fault, is accepted. */
    graceSeconds: z.int(),
    enabled: z.boolean(),
    source: z.enum(['user', 'agent']),
    /** True if what is served there becomes the newest certificate of the FQDN; absent otherwise. */
    adopt: z.boolean().optional(),
    createdAt: scalars.instant,
  })
  .meta({ id: 'Target' });
export type Target = z.output<typeof targetSchema>;

const targetInput = z.object({
  host: hostText.optional(),
  port: targetPort.optional(),
  protocol: targetProtocol.optional(),
  sni: hostText.optional(),
  addresses: z.array(addressText).max(64, 'must have at most 64 entries').nullable().optional(),
  mode: targetMode.optional(),
  everySeconds: seconds(60).optional(),
  graceSeconds: seconds(0).optional(),
  enabled: z.boolean().optional(),
});
export type TargetInput = z.output<typeof targetInput>;

/** State of one address. */
export const servedAddressSchema = z.object({
  /** Absent where the host has no address. */
  address: z.string().optional(),
  class: z.enum(servedClasses),
  since: scalars.instant,
  well: z.boolean(),
  /** When the fault makes, or made, the check of the FQDN fail; absent if there is none. */
  failsAt: scalars.instant.optional(),
  served: z
    .object({
      serialNumber: z.string(),
      /** SHA-256 over the DER of the certificate, hex. */
      fingerprint: z.string(),
      spkiSha256: z.string(),
      issuer: z.string(),
      notBefore: scalars.instant,
      notAfter: scalars.instant,
    })
    .optional(),
  /** Step and reason without a handshake. */
  stage: z.enum(probeStages).optional(),
  failure: z.enum(probeFailures).optional(),
  observedAt: scalars.instant,
  /** Who observed it: this service, or the user who reported it. */
  observer: z.enum(['manager', 'report']),
  /** Sentence that says what is served, and what to do. */
  hint: z.string(),
});
export type ServedAddress = z.output<typeof servedAddressSchema>;

/** Certificates that the targets of an FQDN serve, and those that they should serve. */
export const servedSchema = z
  .object({
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    /** The worst of all addresses; absent before the first observation. */
    class: z.enum(servedClasses).optional(),
    /** Whether addresses differ. */
    partial: z.boolean(),
    /** The newest certificate; absent while there is none. */
    expected: z
      .object({
        certificateId: scalars.uuid,
        serialNumber: z.string(),
        fingerprint: z.string(),
        notAfter: scalars.instant,
        storedAt: scalars.instant,
      })
      .optional(),
    targets: z.array(
      z.object({
        targetId: scalars.uuid,
        host: z.string(),
        port: z.int(),
        protocol: targetProtocol,
        sni: z.string(),
        enabled: z.boolean(),
        addresses: z.array(servedAddressSchema),
      }),
    ),
  })
  .meta({ id: 'Served' });
export type Served = z.output<typeof servedSchema>;

/** Summary of what the targets of an FQDN serve. */
export const servedSummarySchema = z
  .object({
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    class: z.enum(servedClasses).optional(),
    partial: z.boolean(),
    /** Since when the FQDN is of this class. */
    since: scalars.instant.optional(),
    /** The worst address and what to do about it; absent while all are well. */
    hint: z.string().optional(),
  })
  .meta({ id: 'ServedSummary' });
export type ServedSummary = z.output<typeof servedSummarySchema>;

const byTarget = byFqdn.extend({ targetId: scalars.uuid });

export const targetsContract = {
  listTargets: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets',
    summary: 'List the targets of an FQDN: the places where its certificate is served',
    params: byFqdn,
    responses: { 200: json(z.array(targetSchema), 'Targets') },
    failures: [401, 404],
  }),
  createTarget: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets',
    summary: 'Add a target, where the certificate of an FQDN is served',
    params: byFqdn,
    body: { kind: 'json', schema: targetInput },
    responses: { 201: json(targetSchema, 'The target') },
    failures: [400, 401, 403, 404, 409],
  }),
  updateTarget: endpoint({
    method: 'PUT',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}',
    summary: 'Change a target',
    params: byTarget,
    body: { kind: 'json', schema: targetInput },
    responses: { 200: json(targetSchema, 'The target') },
    failures: [400, 401, 403, 404, 409],
  }),
  deleteTarget: endpoint({
    method: 'DELETE',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}',
    summary: 'Remove a target',
    params: byTarget,
    responses: { 200: json(messageSchema, 'Removed') },
    failures: [400, 401, 403, 404],
  }),
  probeTarget: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}/probe',
    summary: 'Probe a target now; takes up to 20 seconds',
    params: byTarget,
    responses: { 200: json(servedSchema, 'What the targets of the FQDN serve') },
    failures: [400, 401, 403, 404, 429],
  }),
  reportObservation: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}/observations',
    summary: 'Report what an address of a target serves, as probed by another machine',
    params: byTarget,
    body: {
      kind: 'json',
      schema: z.object({
        // Absent where the host has no address.
        address: addressText.optional(),
        // What was sent, leaf first: at most 10 certificates.
        chainPem: z.string().max(65_536, 'must be at most 65536 characters').optional(),
        failure: z.object({ stage: z.enum(probeStages), fault: z.enum(probeFailures) }).optional(),
        observedAt: scalars.instant,
      }),
    },
    responses: { 204: empty('Stored') },
    failures: [400, 401, 403, 404],
  }),
  getServed: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/served',
    summary: 'Show what each address of the targets serves, and what it should serve',
    params: byFqdn,
    responses: { 200: json(servedSchema, 'What the targets of the FQDN serve') },
    failures: [401, 404],
  }),
  listServed: endpoint({
    method: 'GET',
    path: '/served',
    summary: 'List the FQDNs with targets, of all spaces that you may read',
    query: z.object({
      class: z.enum(servedClasses).optional(),
      spaceId: scalars.uuid.optional(),
      ...pageQuery,
    }),
    responses: { 200: json(z.array(servedSummarySchema), 'FQDNs with what they serve') },
    failures: [400, 401],
  }),
};
