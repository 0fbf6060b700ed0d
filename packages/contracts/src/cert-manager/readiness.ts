import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { breakCodes, handworkCodes, ruleCertainties, ruleSubjects } from './words.js';

const day = z.iso.date('must be a day, as in 2027-06-01');

/** A rule for public certificates, and the day from which it holds. */
const publicRuleSchema = z
  .object({
    code: z.string(),
    from: day,
    subject: z.enum(ruleSubjects),
    /** A sentence. */
    rule: z.string(),
    source: z.string(),
    /** When the source was read last. */
    checkedOn: day,
    certainty: z.enum(ruleCertainties),
    /** Whether names are judged by it here; others are for people to look after. */
    judged: z.boolean(),
  })
  .meta({ id: 'PublicRule' });
export type PublicRule = z.output<typeof publicRuleSchema>;

/** Names that have something in common. */
const namesSchema = {
  count: z.int(),
  /** The first 100 at most. */
  names: z.array(z.object({ fqdnId: scalars.uuid, spaceId: scalars.uuid, fqdn: z.string() })),
  /** Sentence that says what to do. */
  action: z.string(),
};

export const publicReadinessSchema = z
  .object({
    on: day,
    /** The days from today on from which a rule of the calendar holds. */
    dates: z.array(day),
    /** Rules that hold on the day, by their dates. */
    rules: z.array(publicRuleSchema),
    /** Certificates in use, and how many of them are of public CAs, which alone the rules concern. */
    certificates: z.object({ total: z.int(), public: z.int() }),
    breaks: z.array(
      z.object({
        code: z.enum(breakCodes),
        /** Code of the rule that the names break. */
        rule: z.string(),
        ...namesSchema,
      }),
    ),
    /** Names whose renewal needs a person each time. */
    handwork: z.object({
      names: z.int(),
      minutesPerRenewal: z.int(),
      renewalsPerMonth: z.number(),
      hoursPerMonth: z.number(),
      /** The same with the lifetimes of today. */
      hoursPerMonthToday: z.number(),
      reasons: z.array(z.object({ code: z.enum(handworkCodes), ...namesSchema })),
    }),
    /** Names that others renew: an ACME client or a server that is watched. */
    renewedElsewhere: z.int(),
    /** Renewals that the service makes. */
    capacity: z.object({
      names: z.int(),
      renewalsPerDay: z.number(),
      renewalsPerDayToday: z.number(),
    }),
    computedAt: scalars.instant,
  })
  .meta({ id: 'PublicReadiness' });
export type PublicReadiness = z.output<typeof publicReadinessSchema>;

export const readinessContract = {
  getPublicReadiness: endpoint({
    method: 'GET',
    path: '/readiness',
    summary: 'Show which names break by the rules for public certificates that hold on a day',
    query: z.object({
      // today when absent; at most ten years ahead
      on: day.optional(),
      spaceId: scalars.uuid.optional(),
    }),
    responses: { 200: json(publicReadinessSchema, 'What breaks on the day') },
    failures: [400, 401],
  }),
};
