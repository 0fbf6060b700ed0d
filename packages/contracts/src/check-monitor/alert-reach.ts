import { z } from 'zod';
import type { Integration } from './channels.js';
import type { Check, ReadOnlyCheck } from './checks.js';

/** Tag of checks of CertLoop itself whose alerts are to reach no one, such as its canary. */
export const internalTag = 'certloop-internal';

/** Whether the alerts of a project reach people. */
export const alertReachSchema = z
  .object({
    checks: z.int(),
    /** Checks that send no alerts: no integration that can send is assigned to them. */
    checksWithoutIntegration: z.int(),
    integrations: z.int(),
    /** Integrations that are enabled and able to send; those that fail are among them. */
    canSend: z.int(),
    /** Integrations that are disabled, since their target is gone. */
    switchedOff: z.int(),
    /** Integrations that cannot send with their settings or those of the monitor. */
    unable: z.int(),
    /** Integrations that can send, but whose target currently accepts no messages. */
    failing: z.int(),
    /** When one of them last delivered a message or a test with its present settings; absent when none has. */
    lastDeliveredAt: z.string().optional(),
  })
  .meta({ id: 'AlertReach' });
export type AlertReach = z.output<typeof alertReachSchema>;

/** A check, or `count` of them that notify the same integrations. */
type ReachedCheck = Pick<Check, 'channels'> & Partial<Pick<Check, 'tags'>> & { readonly count?: number };

/** Counts over all checks and integrations of a project, as a read-write key sees them. */
export function measureAlertReach(
  all: readonly ReachedCheck[],
  integrations: readonly Integration[],
): AlertReach {
  const checks = all.filter(({ tags = '' }) => !tags.split(' ').includes(internalTag));
  const countOn = onlyAble(integrations);
  const on = integrations.filter((one) => one.disabled_at === undefined);
  const able = integrations.filter(isAble);
  const delivered = able.flatMap((one) => one.last_delivered_at ?? []).toSorted();
  const lastDeliveredAt = delivered.at(-1);
  return {
    checks: sumOf(checks),
    checksWithoutIntegration: sumOf(checks.filter((check) => countOn(check) === 0)),
    integrations: integrations.length,
    canSend: able.length,
    switchedOff: integrations.length - on.length,
    unable: on.length - able.length,
    failing: able.filter((one) => one.failing_since !== undefined).length,
    ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
  };
}

/** Counts the enabled integrations of a check that can send. */
export function onlyAble(integrations: readonly Integration[]): (check: Pick<Check, 'channels'>) => number {
  const ids = new Set(integrations.filter(isAble).map(({ id }) => id));
  return ({ channels }) => channels.split(',').filter((id) => ids.has(id)).length;
}

function isAble({ disabled_at: disabledAt, cannot_send: obstacle }: Integration): boolean {
  return disabledAt === undefined && obstacle === undefined;
}

function sumOf(checks: readonly ReachedCheck[]): number {
  return checks.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The checks as a read-write key sees them; undefined for a read-only key. */
export function withChannels(checks: readonly (Check | ReadOnlyCheck)[]): Check[] | undefined {
  const seen = checks.filter((check): check is Check => 'channels' in check);
  return seen.length === checks.length ? seen : undefined;
}
