import { type AlertReach, AppError, measureAlertReach, type Watch, withChannels } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../connection/session.js';

/** Adds `status`. */
export function addStatus(program: Command, open: () => Session): void {
  program
    .command('status')
    .description('Show whether the services work, and how many objects they store')
    .action(() => showStatus(open()));
}

async function showStatus(session: Session): Promise<void> {
  const { report } = session;
  const { context, certManager, checkMonitor } = await session.connection();
  const isMonitorAlone = certManager === undefined && checkMonitor !== undefined;
  const manager = isMonitorAlone ? undefined : await readManager(session);
  const monitor = await readMonitor(session);
  const known = { ...manager, monitor, ...(context !== undefined && { context }) };
  report.thing(known, () => ({
    context,
    ...(manager && {
      status: manager.health.status,
      time: manager.health.time,
      ...manager.stats,
      watch: manager.watch && watchWords[manager.watch.state],
    }),
    ...(monitor && {
      monitor: monitor.error ?? 'ok',
      checks: monitor.checks,
      'checks without integration': monitor.checksWithoutIntegration,
      integrations: monitor.integrations,
      'integrations switched off': monitor.switchedOff || undefined,
      'integrations that cannot send': monitor.unable || undefined,
      'integrations failing': monitor.failing || undefined,
      'last delivered': monitor.lastDeliveredAt,
    }),
  }));
  if (monitor?.canSend === 0)
    report.warn(
      monitor.integrations === 0
        ? 'the project has no integration, so its checks send no alerts'
        : 'no integration of the project can send, so its checks send no alerts',
    );
}

/** Whether people are notified of what the watch of the certificates sees. */
const watchWords: Readonly<Record<Watch['state'], string>> = {
  not_watched: 'not watched',
  unknown: 'unknown whether anyone is notified',
  no_one: 'watched, but no one is notified',
  failing: 'watched, but messages do not arrive',
  notified: 'people are notified',
};

async function readManager({ manager }: Session) {
  const [health, stats] = [(await manager.getHealth()).body, (await manager.getStats()).body];
  return { health, stats, watch: await readWatch(manager) };
}

/** Undefined from a service that does not know this yet. */
async function readWatch(manager: Session['manager']): Promise<Watch | undefined> {
  try {
    return (await manager.getWatch()).body;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

interface MonitorStatus extends Partial<AlertReach> {
  /** Why the rest is absent. */
  readonly error?: string;
}

/** Undefined where no monitor is known. One that does not answer does not hide what the manager says. */
async function readMonitor({ connection, monitor }: Session): Promise<MonitorStatus | undefined> {
  if ((await connection()).checkMonitor === undefined) return undefined;
  try {
    const { checks } = (await monitor.listChecks()).body;
    const seen = withChannels(checks);
    if (seen === undefined) return { checks: checks.length };
    return measureAlertReach(
      seen,
      (await monitor.listChannels({ query: { include: 'state' } })).body.channels,
    );
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
