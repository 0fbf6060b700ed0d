import { relative } from 'node:path';
import { type AlertReach, measureAlertReach, withChannels } from '@certloop/contracts';
import type { Credentials } from './credentials.js';
import { clientsOf } from './main-job.js';
import type { StackPlan } from './plan.js';
import { compiledFile } from './service-process.js';

export async function readAlertReach(credentials: Credentials): Promise<AlertReach> {
  const { monitor } = clientsOf(credentials);
  const { channels } = (await monitor.listChannels()).body;
  const { checks } = (await monitor.listChecks()).body;
  return measureAlertReach(withChannels(checks) ?? [], channels);
}

/** What the user must do so that every alert is sent, with `addIntegration` as the command; '' when nothing. */
export function describeAlertReach(reach: AlertReach, addIntegration: string): string {
  const { integrations, checks, checksWithoutIntegration } = reach;
  if (integrations === 0)
    return `The monitor has no integration yet, so no alert is sent. Add one, such as a topic of ntfy:

  ${addIntegration}

`;
  const silent =
    checksWithoutIntegration === 0
      ? ''
      : `${checksWithoutIntegration} of ${checks} checks have no integration that is switched on, so they send no alerts: npx certloop checks\n\n`;
  const broken = reach.switchedOff + reach.failing;
  if (broken === 0) return silent;
  return `${silent}${broken} of ${integrations} integrations are switched off or failing: npx certloop integrations\n\n`;
}

/** Command for a shell that adds an integration to the stack's project. */
export function addIntegrationCommand({ environments }: StackPlan, workingFolder: string): string {
  const { CHECK_MONITOR_DATABASE_URL: url, CHECK_MONITOR_SECRET_FILE: secret } =
    environments['check-monitor'];
  const variables = [
    `CHECK_MONITOR_DATABASE_URL=${shellWord(url)}`,
    `CHECK_MONITOR_SECRET_FILE=${shellWord(secret)}`,
  ];
  const file = compiledFile('check-monitor', 'cli.js');
  const fromHere = relative(workingFolder, file);
  const program = shellWord(fromHere.startsWith('..') ? file : fromHere);
  return `${variables.join(' ')} \\
    node ${program} channel create --project CertLoop --kind ntfy --name Phone --settings '{"topic":"name-of-your-topic"}'`;
}

/** A text as one word of a POSIX shell. */
export function shellWord(text = ''): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
