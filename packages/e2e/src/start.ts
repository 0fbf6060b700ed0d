import { type AlertReach, measureAlertReach, withChannels } from '@certloop/contracts';
import { ConfigError, guardOutput, StartFailed } from '@certloop/server';
import { inheritedEnvironment, readStackConfig } from './config.js';
import type { Credentials } from './credentials.js';
import { greetingText } from './greeting.js';
import { clientsOf } from './main-job.js';
import { startStack } from './stack.js';

/** Runs the stack until a signal comes or a service ends on its own; resolves with the exit code. */
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
    const options = { ...readStackConfig(), environment: inheritedEnvironment(), warn: complain };
    const stack = await startStack(options, interrupted.signal);
    const ms = Date.now() - began;
    // a monitor that does not say hides nothing else
    const reach = await readAlertReach(stack.credentials).catch(() => undefined);
    const { credentials, dataDir } = stack;
    const hasConsoles = await servesConsole(credentials.certManager.url);
    const workingFolder = process.cwd();
    process.stdout.write(greetingText({ credentials, dataDir, workingFolder, ms, hasConsoles, reach }));
    const end = await Promise.race([signal, stack.broken]);
    await stack.stop();
    return end === 'signal' ? 0 : complain(`${end}; its log is in ${stack.dataDir}/logs`);
  } catch (error) {
    if (interrupted.signal.aborted) return 0;
    if (error instanceof StartFailed || error instanceof ConfigError) return complain(error.message);
    throw error;
  }
}

/** Whom the monitor would alert. Rejects if it does not answer. */
async function readAlertReach(credentials: Credentials): Promise<AlertReach> {
  const { monitor } = clientsOf(credentials);
  const { channels } = (await monitor.listChannels({ query: { include: 'state' } })).body;
  const { checks } = (await monitor.listChecks()).body;
  return measureAlertReach(withChannels(checks) ?? [], channels);
}

async function servesConsole(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ui/`, { method: 'HEAD' }).catch(() => undefined);
  return answer?.ok === true;
}

function complain(sentence: string): number {
  process.stderr.write(`certloop: ${sentence}\n`);
  return 1;
}

// a terminal that is gone does not end the stack
guardOutput('certloop');
process.exitCode = await run();
