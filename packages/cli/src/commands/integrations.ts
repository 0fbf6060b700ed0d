import type { Command } from 'commander';
import type { Session } from '../session.js';

/** Adds `integrations`. */
export function addIntegrations(program: Command, open: () => Session): void {
  const integrations = program.command('integrations').description('Integrations of the monitor: list');
  integrations
    .command('list', { isDefault: true })
    .description('List where alerts are sent, and how many checks each integration is assigned to')
    .action(async () => {
      const { report, monitor } = open();
      const client = await monitor();
      const { channels } = (await client.listChannels()).body;
      const { checks } = (await client.listChecks()).body;
      const counts = new Map(channels.map(({ id }) => [id, 0]));
      for (const id of checks.flatMap((check) => ('channels' in check ? check.channels.split(',') : [])))
        counts.set(id, (counts.get(id) ?? 0) + 1);
      report.list(
        channels.map((channel) => ({ ...channel, checks: counts.get(channel.id) ?? 0 })),
        ({ name, kind, checks: assigned, id }) => ({ name, kind, checks: assigned, id }),
      );
      if (channels.length === 0) report.warn('the project has no integration, so its checks send no alerts');
    });
}
