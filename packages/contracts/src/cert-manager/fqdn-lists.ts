import { z } from 'zod';
import * as scalars from '../scalars.js';
import { sortedPageQuery } from './pages.js';
import { fqdnActions, fqdnSorts, fqdnStates, nameVerdicts, renewalOwners } from './words.js';

/** Who is responsible for an FQDN: a person, a team, or a mail address. */
export const ownerText = scalars.line(200);

/** A tag of an FQDN; handed on in lower case. */
export const tagText = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9._:/-]{0,48}[a-z0-9])?$/i,
    'must have at most 50 letters, digits and . _ : / - between them',
  )
  .toLowerCase();

export const tagList = z.array(tagText).max(20, 'must have at most 20 tags');

/** Which FQDNs of a list, in which order, and what to include with them. */
export const fqdnQuery = {
  /** Part of the name, in either spelling, of the owner or of a tag; `@` begins an owner, `#` a tag. */
  q: scalars.searchText(253).optional(),
  /** The whole name, in either spelling. */
  fqdn: scalars.searchText(1000).optional(),
  /** The whole owner, in any case. */
  owner: ownerText.optional(),
  tag: tagText.optional(),
  state: z.enum(fqdnStates).optional(),
  renewal: z.enum(['on', 'off']).optional(),
  /** Who is asked for the next certificate. */
  providerId: scalars.uuid.optional(),
  /** From this moment on, and before that one. */
  expiresFrom: scalars.instant.optional(),
  expiresBefore: scalars.instant.optional(),
  renewedBy: z.enum(renewalOwners).optional(),
  /** Of the newest certificate, as `issuer` of its status has it. */
  issuer: scalars.searchText(4000).optional(),
  /** Kind and size of its key, such as `RSA 2048`. */
  key: scalars.searchText(24).optional(),
  /** SHA-256 over the certificate of its issuer, hex. */
  authority: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  sort: z.enum(fqdnSorts).optional(),
  include: z.literal('status').optional(),
  ...sortedPageQuery,
};

/** How many FQDNs there are in all, need a person, and are in each state. */
export const fqdnCountsSchema = z
  .object({
    total: z.int(),
    needsYou: z.int(),
    unfinished: z.int(),
    valid: z.int(),
    due: z.int(),
    failing: z.int(),
    expired: z.int(),
  })
  .meta({ id: 'FqdnCounts' });
export type FqdnCounts = z.output<typeof fqdnCountsSchema>;

/** Most FQDNs that one call of changeFqdns names by their ids. */
export const maxNamedFqdns = 1000;
/** Most FQDNs that one call of changeFqdns may be about. */
export const maxMatchedFqdns = 5000;

const { q, owner, tag, state, renewal, providerId, expiresFrom, expiresBefore } = fqdnQuery;
const { renewedBy, issuer, key, authority } = fqdnQuery;

/** One change of many FQDNs. */
export const fqdnChangeSchema = z
  .object({
    ids: z.array(scalars.uuid).min(1).max(maxNamedFqdns).optional(),
    // A misspelt condition must not mean all FQDNs.
    filter: z
      .strictObject({
        spaceId: scalars.uuid.optional(),
        q,
        owner,
        tag,
        state,
        renewal,
        providerId,
        expiresFrom,
        expiresBefore,
        renewedBy,
        issuer,
        key,
        authority,
      })
      .optional(),
    action: z.enum(fqdnActions),
    /** With `set-provider`; null for none. */
    providerId: scalars.uuid.nullable().optional(),
    /** With `set-owner`; null for none. */
    owner: ownerText.nullable().optional(),
    /** With `add-tags` and `remove-tags`. */
    tags: tagList.min(1).optional(),
    /** Whether only to say what would change. */
    dryRun: z.boolean(),
  })
  .meta({ id: 'FqdnChange' });
export type FqdnChange = z.input<typeof fqdnChangeSchema>;

/** Result of a change of many FQDNs, or the result that it would have. */
export const fqdnChangeResultSchema = z
  .object({
    /** FQDNs that the ids or the filter name. */
    matched: z.int(),
    changed: z.int(),
    /** FQDNs that are so already; the rest of `matched` was skipped. */
    unchanged: z.int(),
    /** The first 100. */
    skipped: z.array(
      z.object({
        id: scalars.uuid,
        /** Absent where the caller may read no such FQDN. */
        fqdn: z.string().optional(),
        reason: z.string(),
      }),
    ),
  })
  .meta({ id: 'FqdnChangeResult' });
export type FqdnChangeResult = z.output<typeof fqdnChangeResultSchema>;

/** Most names that one call of reviewFqdns judges. */
export const maxReviewedNames = 1000;

/** Review of a name that might be added to a space. */
export const reviewedNameSchema = z
  .object({
    /** As it was sent. */
    name: z.string(),
    /** In its normal form; absent where it has none. */
    fqdn: z.string().optional(),
    verdict: z.enum(nameVerdicts),
    /** The one that the space has already. */
    fqdnId: scalars.uuid.optional(),
    /** Why it would not be added. */
    message: z.string().optional(),
  })
  .meta({ id: 'ReviewedName' });
export type ReviewedName = z.output<typeof reviewedNameSchema>;
