import { z } from 'zod';
import { endpoint, json, stream } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { renewalOwners } from './words.js';

/** Most rows of each list of an inventory; names of further rows are only part of the totals. */
export const maxInventoryRows = 200;

/** Counts of names by what is known of their newest certificates; in each list the largest count comes first. */
export const inventorySchema = z
  .object({
    /** All FQDNs, and those of them without a certificate. */
    names: z.int(),
    unfinished: z.int(),
    issuers: z.array(z.object({ issuer: z.string(), names: z.int() })),
    /** Certificates of issuers that were sent with the newest ones: usually intermediates. */
    authorities: z.array(
      z.object({
        /** SHA-256 over the certificate, hex. */
        sha256: z.string(),
        subject: z.string(),
        expiresAt: scalars.instant,
        names: z.int(),
      }),
    ),
    keys: z.array(z.object({ key: z.string(), names: z.int() })),
    renewedBy: z.array(z.object({ renewedBy: z.enum(renewalOwners), names: z.int() })),
    computedAt: scalars.instant,
  })
  .meta({ id: 'Inventory' });
export type Inventory = z.output<typeof inventorySchema>;

const query = z.object({ spaceId: scalars.uuid.optional() });

export const inventoryContract = {
  getInventory: endpoint({
    method: 'GET',
    path: '/inventory',
    summary: 'Count the FQDNs by issuer, intermediate, kind of key, and who renews them',
    query,
    responses: { 200: json(inventorySchema, 'The counts') },
    failures: [400, 401],
  }),
  exportInventory: endpoint({
    method: 'GET',
    path: '/inventory.csv',
    summary: 'Export all FQDNs that the caller may read with their newest certificates, one a line',
    query,
    responses: { 200: stream(['text/csv; charset=utf-8'], 'FQDNs, one a line') },
    failures: [400, 401],
  }),
};
