import { type AlertReach, measureAlertReach, withChannels } from '@certloop/contracts';
import type { Command } from 'commander';
import type { Session } from '../connection/session.js';

/** Adds `status`. */
export function addStatus(program: Command, open: () => Session): void {
  program
    .command('status')
    .description('Show whether the services work, and how much they hold')
    .action(() => showStatus(open()));
}

async function showStatus(session: Session): Promise<void> {
  const { report, manager } = session;
  const client = await manager();
  const [health, stats] = [(await client.getHealth()).body, (await client.getStats()).body];
  const monitor = await readMonitor(session);
  report.thing({ health, stats, monitor }, () => ({
    status: health.status,
    time: health.time,
    ...stats,
    ...(monitor && {
      monitor: monitor.error ?? 'ok',
      checks: monitor.checks,
      'checks without integration': monitor.checksWithoutIntegration,
      integrations: monitor.integrations,
      'integrations switched off': monitor.switchedOff || undefined,
      'integrations that cannot send': monitor.unable || undefined,
      'integrations failing': monitor.failing || undefined,
    }),
  }));
  if (monitor?.integrations === 0)
    report.warn('the project has no integration, so its checks send no alerts');
}

interface MonitorStatus extends Partial<AlertReach> {
  /** Why the rest is absent. */
  readonly error?: string;
}

/** Undefined where no monitor is known. One that does not answer does not hide what the manager says. */
async function readMonitor({ connection, monitor }: Session): Promise<MonitorStatus | undefined> {
  if ((await connection()).checkMonitor === undefined) return undefined;
  try {
    const client = await monitor();
    const { checks } = (await client.listChecks()).body;
    const seen = withChannels(checks);
    if (seen === undefined) return { checks: checks.length };
    return measureAlertReach(seen, (await client.listChannels()).body.channels);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
