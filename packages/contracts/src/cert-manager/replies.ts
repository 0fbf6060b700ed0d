import { z } from 'zod';
import * as scalars from '../scalars.js';

/** Answer of an operation that has nothing to show but that it was done. */
export const messageSchema = z.object({ message: z.string() }).meta({ id: 'Message' });
export type Message = z.output<typeof messageSchema>;

export const countSchema = z.object({ count: z.int() }).meta({ id: 'Count' });
export type Count = z.output<typeof countSchema>;

/** Answer of a deletion of many: what was done, and of how many. */
export const deleteSchema = z.object({ message: z.string(), deletedCount: z.int() }).meta({ id: 'Delete' });
export type Delete = z.output<typeof deleteSchema>;

/** Repair of a fault: an OpenSSL command line, an INF file for certreq of Windows, a sentence. */
export const fixSchema = z
  .object({ openssl: z.string().optional(), certreq: z.string().optional(), text: z.string().optional() })
  .meta({ id: 'Fix' });

/**
 * Body of every refusal: a problem document (RFC 9457) that also carries its sentence as `message` and its
 * title as `error`. `code` is the stable key for machines; `errors` lists the faults of an input by field; `fix` says how
 * to repair a CSR.
 */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    error: z.string(),
    message: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
    fix: fixSchema.optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof problemSchema>;

/** Path of one thing addressed by `id`. */
export const byId = z.object({ id: scalars.uuid });

/** Path of an FQDN in its space. */
export const byFqdn = z.object({ spaceId: scalars.uuid, fqdnId: scalars.uuid });

/** Query of the deletions that reach across all spaces: `confirm` must be the text true. */
export const confirmation = z.object({ confirm: z.literal('true', 'must be the text true') });
