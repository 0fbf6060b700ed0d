import { z } from 'zod';
import { searchText } from '../scalars.js';
import { checkActions, checkStatuses } from './words.js';

/** States by which lists of checks are filtered; `started` is a check whose job runs. */
export const listStatuses = [...checkStatuses, 'started'] as const;

/** Checks that one request may name by their ids, and of which its response has a result each. */
export const maxNamedChecks = 1_000;

/** Checks that one request changes; where more match, its response says where the rest begins. */
export const maxChangedChecks = 5_000;

const uuid = z.string().toLowerCase().max(40);

/** A change of many checks of a project, which are named either by ids or by a filter. */
export const checkChangeSchema = z
  .object({
    /** Uuids. */
    ids: z.array(uuid).min(1).max(maxNamedChecks).optional(),
    // A misspelt condition must not mean all checks.
    filter: z
      .strictObject({
        q: searchText(200).optional(),
        status: z.array(z.enum(listStatuses)).min(1).optional(),
        /** All of them. */
        tag: z.array(z.string().max(500)).max(50).optional(),
        /** The integration that the checks notify. */
        channel: uuid.optional(),
      })
      .optional(),
    action: z.enum(checkActions),
    /** With `add-tags` and `remove-tags`; words between blanks. */
    tags: z.string().max(500).optional(),
    /** With `add-channels` and `remove-channels`; uuids. */
    channels: z.array(uuid).min(1).max(100).optional(),
    /** If more checks match, none is changed. */
    atMost: z.int().min(0).optional(),
    /** `next` of the response before, to go on with the checks after those. */
    after: z.int().min(0).optional(),
  })
  .meta({ id: 'CheckChange' });
export type CheckChange = z.input<typeof checkChangeSchema>;

/** Result of a change of many checks. */
export const checkChangeResultSchema = z
  .object({
    /** Checks that the ids or the filter name, of those that this request looked at. */
    matched: z.int(),
    changed: z.int(),
    /** Checks that are so already. */
    unchanged: z.int(),
    skipped: z.int(),
    /** The first 1000. */
    results: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        outcome: z.enum(['changed', 'unchanged', 'skipped']),
        /** Why it was skipped. */
        reason: z.string().optional(),
      }),
    ),
    /** Where the rest begins; absent where no check is left. */
    next: z.int().optional(),
  })
  .meta({ id: 'CheckChangeResult' });
export type CheckChangeResult = z.output<typeof checkChangeResultSchema>;
