import type { Watch } from '@certloop/contracts';
import { alertStateOf } from './monitor/alert-state.js';
import type { MonitorContact } from './monitor/monitor-contact.store.js';

export interface DescribeWatchDeps {
  readonly hasMonitor: boolean;
  readonly readContact: () => MonitorContact | undefined;
  /** Where browsers reach the monitor. */
  readonly monitorPublicUrl: string | undefined;
}

/** Whether the monitor answers, and whether people are notified of what it sees. */
export function describeWatch({ hasMonitor, readContact, monitorPublicUrl }: DescribeWatchDeps): Watch {
  const contact = readContact();
  const reach = contact?.reach;
  const base = monitorPublicUrl?.replace(/\/$/, '');
  return {
    ...alertStateOf(hasMonitor, contact),
    ...(contact !== undefined && {
      monitor: { answers: contact.answers, since: contact.since.toISOString() },
    }),
    ...(reach !== undefined && { alerts: alertsOf(reach.alerts) }),
    ...(reach !== undefined &&
      base !== undefined && { integrationsUrl: `${base}/ui/projects/${reach.projectId}/integrations` }),
  };
}

function alertsOf({
  canSend,
  failing,
  checks,
  checksWithoutIntegration,
  lastDeliveredAt,
}: NonNullable<MonitorContact['reach']>['alerts']): NonNullable<Watch['alerts']> {
  const delivered = lastDeliveredAt === undefined ? undefined : new Date(lastDeliveredAt);
  const isKnown = delivered !== undefined && !Number.isNaN(delivered.getTime());
  const counts = { canSend, failing, checks, checksWithoutIntegration };
  return { ...counts, ...(isKnown && { lastDeliveredAt: delivered.toISOString() }) };
}
