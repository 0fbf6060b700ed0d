import { relative } from 'node:path';
import { ConfigError, StartFailed } from '@certloop/server';
import { addIntegrationCommand, describeAlertReach, readAlertReach, shellWord } from './alert-reach.js';
import { inheritedEnvironment, readStackConfig } from './config.js';
import { credentialsFile } from './credentials.js';
import { type Stack, startStack } from './stack.js';

/** Runs the stack until a signal comes or a service ends by itself; resolves with the exit code. */
async function run(): Promise<number> {
  const interrupted = new AbortController();
  const signal = new Promise<'signal'>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        interrupted.abort();
        resolve('signal');
      });
    }
  });
  try {
    const began = Date.now();
    const options = { ...readStackConfig(), environment: inheritedEnvironment() };
    const stack = await startStack(options, interrupted.signal);
    process.stdout.write(greeting(stack, Date.now() - began, await alertHint(stack)));
    const end = await Promise.race([signal, stack.broken]);
    await stack.stop();
    return end === 'signal' ? 0 : complain(`${end}; its log is in ${stack.dataDir}/logs`);
  } catch (error) {
    if (interrupted.signal.aborted) return 0;
    if (error instanceof StartFailed || error instanceof ConfigError) return complain(error.message);
    throw error;
  }
}

function complain(sentence: string): number {
  process.stderr.write(`certloop: ${sentence}\n`);
  return 1;
}

/** What a new user does next; the lines read the token from its file, so that it is never shown. */
function greeting({ credentials, dataDir }: Stack, ms: number, alerts: string): string {
  const { certManager, checkMonitor, dummyCa } = credentials;
  const file = relative(process.cwd(), credentialsFile(dataDir));
  const path = file.startsWith('..') ? credentialsFile(dataDir) : `./${file}`;
  const token = `$(node -p 'require(process.argv[1]).certManager.token' ${shellWord(path)})`;
  const curl = `curl -sS -w '\\n' -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json'`;
  const newest = `$(${curl} ${certManager.url}/spaces | node -p 'JSON.parse(require("fs").readFileSync(0)).at(-1).id')`;
  return `
CertLoop is up after ${(ms / 1000).toFixed(1)} s

  cert-manager   ${certManager.url}
  check-monitor  ${checkMonitor.url}
  dummy-ca       ${dummyCa.url}
  credentials    ${path}
  logs           ${dataDir}/logs

Make a space, add an FQDN to it, list what it holds:

  ${curl} ${certManager.url}/spaces -d '{"name":"First space"}'
  ${curl} ${certManager.url}/spaces/${newest}/fqdns -d '{"fqdn":"www.example.test"}'
  ${curl} ${certManager.url}/spaces/${newest}/fqdns

${alerts}Ctrl-C stops everything.
`;
}

/** What is missing before alerts are sent; '' when nothing, or when the monitor does not say. */
async function alertHint({ credentials, plan }: Stack): Promise<string> {
  const reach = await readAlertReach(credentials).catch(() => undefined);
  return reach === undefined ? '' : describeAlertReach(reach, addIntegrationCommand(plan, process.cwd()));
}

process.exitCode = await run();
