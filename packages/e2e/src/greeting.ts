import { relative } from 'node:path';
import type { AlertReach } from '@certloop/contracts';
import type { Credentials } from './credentials.js';

export interface Greeting {
  readonly credentials: Credentials;
  readonly dataDir: string;
  readonly workingFolder: string;
  /** Milliseconds that the start took. */
  readonly ms: number;
  /** Whether the services have consoles: a build without them serves the APIs alone. */
  readonly hasConsoles: boolean;
  /** Undefined when the monitor did not say. */
  readonly reach: AlertReach | undefined;
}

/** Returns what a new user needs first, in at most twelve lines. Secrets stay in their file. */
export function greetingText({
  credentials,
  dataDir,
  workingFolder,
  ms,
  hasConsoles,
  reach,
}: Greeting): string {
  const { certManager, checkMonitor, dummyCa } = credentials;
  const fromHere = relative(workingFolder, dataDir);
  const folder = fromHere.startsWith('..') ? dataDir : `./${fromHere}`;
  const path = hasConsoles ? '/ui/' : '';
  const name = hasConsoles ? 'console' : 'API';
  return `
CertLoop is up after ${(ms / 1000).toFixed(1)} s
  manager ${name.padEnd(9)}${certManager.url}${path}   as ${certManager.username}
  monitor ${name.padEnd(9)}${checkMonitor.url}${path}${hasConsoles && checkMonitor.email !== undefined ? `   as ${checkMonitor.email}` : ''}
  passwords        ${folder}/credentials.json
  dummy-ca         ${dummyCa.url}   ACME at ${dummyCa.httpsUrl}/acme/directory
  ACME clients     ${certManager.httpsUrl}/acme/directory
  files            ${folder}: root.pem, logs
  first steps      npm run demo; docs/first-certificate.md
${reach === undefined ? '' : describeAlertReach(reach)}Ctrl-C stops everything.
`;
}

/** Command that adds an integration to the project of the stack. */
export const addIntegrationCommand =
  'npm run monitor -- channel create --project CertLoop --kind ntfy --name Phone --settings \'{"topic":"yours"}\'';

/** Returns what the user must do so that every alert is sent, in two lines at most; '' when nothing. */
export function describeAlertReach(reach: AlertReach): string {
  const { integrations, checks, checksWithoutIntegration } = reach;
  if (integrations === 0)
    return `  alerts           none before you add an integration, such as:\n${addIntegrationCommand}\n`;
  const broken = reach.switchedOff + reach.unable + reach.failing;
  if (broken > 0)
    return `  alerts           ${broken} of ${integrations} integrations are off or failing: npx --no-install certloop integrations\n`;
  if (checksWithoutIntegration > 0)
    return `  alerts           ${checksWithoutIntegration} of ${checks} checks have no integration: npx --no-install certloop checks\n`;
  return '';
}
