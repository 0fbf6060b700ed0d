import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';

/** Adds `whoami`. */
export function addWhoami(program: Command, open: () => Session): void {
  program
    .command('whoami')
    .description('Show your user in both services, and the context in use')
    .action(() => showCaller(open()));
}

async function showCaller({ report, connection, manager, monitor }: Session): Promise<void> {
  const { context, space, certManager, checkMonitor } = await connection();
  if (certManager === undefined && checkMonitor === undefined)
    throw new UsageError('log in first (certloop login), or set CERTLOOP_URL and CERTLOOP_TOKEN');
  const me = certManager && (await manager.getMe()).body;
  const hasKey = checkMonitor?.readWriteKey !== undefined;
  const key = hasKey ? (await monitor.getOwnKey()).body : undefined;
  const known = {
    ...me,
    ...(context !== undefined && { context }),
    ...(space !== undefined && { space }),
    ...(certManager && { certManager: { url: certManager.url } }),
    ...(checkMonitor && { checkMonitor: { url: checkMonitor.url, email: checkMonitor.email, ...key } }),
  };
  report.thing(known, () => ({
    context,
    'cert-manager': certManager?.url,
    username: me?.user.username,
    email: me?.user.email,
    scope: me?.token?.scope,
    expires: me?.token?.expiresAt,
    space,
    'check-monitor': checkMonitor?.url,
    account: checkMonitor?.email,
    project: key?.project.name,
    key: key?.kind,
  }));
}
