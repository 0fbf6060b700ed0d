import type { Integration } from './channels.js';
import type { Check, ReadOnlyCheck } from './checks.js';

/** Tag of checks of CertLoop itself whose alerts are to reach no one, such as its canary. */
export const internalTag = 'certloop-internal';

/** Whether the alerts of a project reach people. */
export interface AlertReach {
  readonly checks: number;
  /** Checks that send no alerts: no integration that can send is assigned to them. */
  readonly checksWithoutIntegration: number;
  readonly integrations: number;
  /** Integrations that are disabled, since their target is gone. */
  readonly switchedOff: number;
  /** Integrations that cannot send with their settings or those of the monitor. */
  readonly unable: number;
  /** Other integrations whose target currently accepts no messages. */
  readonly failing: number;
}

/** Counts over all checks and integrations of a project, as a read-write key sees them. */
export function measureAlertReach(
  all: readonly (Pick<Check, 'channels'> & Partial<Pick<Check, 'tags'>>)[],
  integrations: readonly Integration[],
): AlertReach {
  const checks = all.filter(({ tags = '' }) => !tags.split(' ').includes(internalTag));
  const countOn = onlyAble(integrations);
  const isOff = ({ disabled_at: since }: Integration) => since !== undefined;
  const on = integrations.filter((one) => !isOff(one));
  return {
    checks: checks.length,
    checksWithoutIntegration: checks.filter((check) => countOn(check) === 0).length,
    integrations: integrations.length,
    switchedOff: integrations.length - on.length,
    unable: on.filter((one) => one.cannot_send !== undefined).length,
    failing: on.filter((one) => one.cannot_send === undefined && one.failing_since !== undefined).length,
  };
}

/** Counts the enabled integrations of a check that can send. */
export function onlyAble(integrations: readonly Integration[]): (check: Pick<Check, 'channels'>) => number {
  const able = integrations.filter((one) => one.disabled_at === undefined && one.cannot_send === undefined);
  const ids = new Set(able.map(({ id }) => id));
  return ({ channels }) => channels.split(',').filter((id) => ids.has(id)).length;
}

/** The checks as a read-write key sees them; undefined for a read-only key. */
export function withChannels(checks: readonly (Check | ReadOnlyCheck)[]): Check[] | undefined {
  const seen = checks.filter((check): check is Check => 'channels' in check);
  return seen.length === checks.length ? seen : undefined;
}
