import type { Integration } from '@certloop/contracts';
import { UpstreamFailed } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { requireOne } from '../../lookup.js';
import { addOwnIntegrations } from './own-integrations.js';

/** Adds `integrations`. */
export function addIntegrations(program: Command, open: () => Session): void {
  const integrations = program
    .command('integrations')
    .description('Integrations of the monitor: where alerts are sent');
  integrations
    .command('list', { isDefault: true })
    .description('List where alerts are sent, and how many checks each integration is assigned to')
    .action(async () => {
      const { report, monitor } = open();
      const { channels } = (await monitor.listChannels({ query: { include: 'state' } })).body;
      const { checks } = (await monitor.listChecks()).body;
      const counts = new Map(channels.map(({ id }) => [id, 0]));
      for (const id of checks.flatMap((check) => ('channels' in check ? check.channels.split(',') : [])))
        counts.set(id, (counts.get(id) ?? 0) + 1);
      report.list(
        channels.map((channel) => ({ ...channel, checks: counts.get(channel.id) ?? 0 })),
        (channel) => ({
          name: channel.name,
          kind: channel.kind,
          checks: channel.checks,
          state: stateOf(channel),
          id: channel.id,
        }),
      );
      if (channels.length === 0) report.warn('the project has no integration, so its checks send no alerts');
    });
  integrations
    .command('test <integration>')
    .description('Send a test message to an integration, by name or id, and report whether it arrived')
    .action(async (named) => {
      const { report, monitor } = open();
      const { channels } = (await monitor.listChannels()).body;
      const matching = channels.filter(({ id, name }) => id === named.toLowerCase() || name === named);
      const { id, name, kind } = requireOne(matching, named, 'integration');
      const { ok, error } = (await monitor.testIntegration({ params: { id } })).body;
      if (!ok) throw new UpstreamFailed(`the test message by ${name || kind} did not arrive: ${error}`);
      report.done(`sent a test message by ${name || kind}`, { id, name, kind, ok });
    });
  addOwnIntegrations(integrations, open);
}

function stateOf({ disabled_at: off, cannot_send: obstacle, ...more }: Integration): string {
  const { failing_since: failing, held_until: held } = more;
  if (off !== undefined) return `switched off since ${off}`;
  if (obstacle !== undefined) return `cannot send: ${obstacle}`;
  if (failing !== undefined) return `failing since ${failing}`;
  return held === undefined ? 'ok' : `held back until ${held}`;
}
