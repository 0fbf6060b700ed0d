import { z } from 'zod';
import { endpoint, json, text } from '../endpoint.js';

/** Addresses of the badges of one tag; those ending in 3 show up, late and down, the others up and down. */
export const badgeUrlsSchema = z
  .object({
    svg: z.string(),
    svg3: z.string(),
    json: z.string(),
    json3: z.string(),
    shields: z.string(),
    shields3: z.string(),
  })
  .meta({ id: 'BadgeUrls' });
export type BadgeUrls = z.output<typeof badgeUrlsSchema>;

/** Badge addresses by tag; `*` stands for all checks. */
export const badgeSetSchema = z
  .object({ badges: z.record(z.string(), badgeUrlsSchema) })
  .meta({ id: 'BadgeSet' });
export type BadgeSet = z.output<typeof badgeSetSchema>;

export const badgeStatuses = ['up', 'late', 'down'] as const;
export type BadgeStatus = (typeof badgeStatuses)[number];

export const badgeReportSchema = z
  .object({
    status: z.enum(badgeStatuses),
    total: z.int(),
    grace: z.int(),
    down: z.int(),
  })
  .meta({ id: 'BadgeReport' });
export type BadgeReport = z.output<typeof badgeReportSchema>;

/** Badge in the form that badge services read. */
export const shieldsBadgeSchema = z
  .object({
    schemaVersion: z.literal(1),
    label: z.string(),
    message: z.enum(badgeStatuses),
    color: z.enum(['success', 'important', 'critical']),
  })
  .meta({ id: 'ShieldsBadge' });
export type ShieldsBadge = z.output<typeof shieldsBadgeSchema>;

export const badgesContract = {
  listBadges: endpoint({
    method: 'GET',
    path: '/badges/',
    documented: true,
    summary: 'List badge addresses by tag',
    responses: { 200: json(badgeSetSchema, 'Badge addresses') },
    failures: [401],
  }),
};

const svg = text('image/svg+xml', 'The badge as a picture');
const report = json(badgeReportSchema, 'The status with its counts');
const shields = json(shieldsBadgeSchema, 'The status for a badge service');

const ofTag = z.object({ badgeKey: z.string(), signature: z.string(), tag: z.string() });
const ofAll = ofTag.omit({ tag: true });
const ofCheck = z.object({ states: z.string(), badgeUuid: z.string() });

const badge = <
  const P extends string,
  S extends z.ZodType,
  R extends typeof svg | typeof report | typeof shields,
>(
  path: P,
  params: S,
  response: R,
) =>
  endpoint({
    method: 'GET',
    path,
    documented: true,
    summary: response.description,
    params,
    public: true,
    responses: { 200: response },
    failures: [404],
  });

/** Addresses of the badges themselves: of a tag, of all checks, of one check. Refusals have no body. */
export const badgeContract = {
  tagBadgeSvg: badge('/badge/{badgeKey}/{signature}/{tag}.svg', ofTag, svg),
  tagBadgeJson: badge('/badge/{badgeKey}/{signature}/{tag}.json', ofTag, report),
  tagBadgeShields: badge('/badge/{badgeKey}/{signature}/{tag}.shields', ofTag, shields),
  allBadgeSvg: badge('/badge/{badgeKey}/{signature}.svg', ofAll, svg),
  allBadgeJson: badge('/badge/{badgeKey}/{signature}.json', ofAll, report),
  allBadgeShields: badge('/badge/{badgeKey}/{signature}.shields', ofAll, shields),
  checkBadgeSvg: badge('/b/{states}/{badgeUuid}.svg', ofCheck, svg),
  checkBadgeJson: badge('/b/{states}/{badgeUuid}.json', ofCheck, report),
  checkBadgeShields: badge('/b/{states}/{badgeUuid}.shields', ofCheck, shields),
};
