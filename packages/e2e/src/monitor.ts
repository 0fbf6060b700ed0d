import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { ConfigError, guardOutput, StartFailed } from '@certloop/server';
import { inheritedEnvironment, readStackConfig } from './config.js';
import { prepareFolder } from './first-start.js';
import { planStack } from './plan.js';
import { compiledFile } from './service-process.js';

/** Runs check-monitor's own command line on the database of `npm start`; resolves with its exit code. */
async function run(args: readonly string[]): Promise<number> {
  const { ports, dataDir: folder } = readStackConfig();
  const dataDir = resolve(folder);
  const secretFiles = await prepareFolder(dataDir);
  const { environments } = planStack({
    dataDir,
    ports: { certManagerHttps: 0, dummyCaHttps: 0, http01: 0, ...ports },
    secretFiles,
    environment: inheritedEnvironment(),
  });
  const child = spawn(process.execPath, [compiledFile('check-monitor', 'cli.js'), ...args], {
    env: environments['check-monitor'],
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

guardOutput('certloop');
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof StartFailed)) throw error;
  process.stderr.write(`certloop: ${error.message}\n`);
  process.exitCode = 1;
}
