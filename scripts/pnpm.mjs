// Runs the pnpm that package.json names, so that Node and npm are all a machine needs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const noted = fileURLToPath(new URL('../node_modules/.certloop-pnpm.json', import.meta.url));
const args = process.argv.slice(2);
const shell = process.platform === 'win32';

// Native modules compile against the headers beside this Node, if any, rather than downloaded ones.
const prefix = join(process.execPath, '..', '..');
const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
const env = { TURBO_TELEMETRY_DISABLED: '1', ...headers, ...process.env };
// Windows may write it in another way, and a copy of the environment has only that one
const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
const path = env[pathName] ?? '';

/**
 * Folder of pnpm's command where npx has put it, which takes npx a second to find again; undefined if it is unknown. A
 * folder in another home is not used: what is there is run by this user.
 */
function notedFolder() {
  try {
    const { version, folder, home } = JSON.parse(readFileSync(noted, 'utf8'));
    const isUsable = version === packageManager && home === homedir() && existsSync(join(folder, 'pnpm'));
    return isUsable ? folder : undefined;
  } catch {
    return undefined;
  }
}

function run(command, commandArgs, environment) {
  // a shell would split what has blanks
  const words = shell ? commandArgs.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)) : commandArgs;
  return spawnSync(command, words, { stdio: 'inherit', env: environment, shell }).status ?? 1;
}

const folder = notedFolder();
if (folder !== undefined) {
  // turbo looks for pnpm too
  process.exit(run('pnpm', args, { ...env, [pathName]: `${folder}${delimiter}${path}` }));
}
if (process.env['CERTLOOP_IN_NPX'] === '1') {
  const { CERTLOOP_IN_NPX: _, ...passedOn } = env;
  const status = run('pnpm', args, passedOn);
  const found = path.split(delimiter).find((entry) => existsSync(join(entry, 'pnpm')));
  // afterwards, since an installation makes the folder, or clears it
  try {
    if (existsSync(dirname(noted))) {
      writeFileSync(noted, JSON.stringify({ version: packageManager, folder: found, home: homedir() }));
    }
  } catch {
    // the next run asks npx again
  }
  process.exit(status);
}
// --yes: a user's npmrc may say no; --prefer-offline: without a network npx would retry for a minute.
const npx = ['--yes', '--prefer-offline', '--package', packageManager, '--'];
process.exit(
  run('npx', [...npx, 'node', fileURLToPath(import.meta.url), ...args], { ...env, CERTLOOP_IN_NPX: '1' }),
);
