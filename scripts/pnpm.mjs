// Runs the pnpm that package.json names, so that Node and npm are all a machine needs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// Native modules compile against the headers beside this Node, if any, rather than downloaded ones.
const prefix = join(process.execPath, '..', '..');
const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};

// --yes: a user's npmrc may say no; --prefer-offline: without a network npx would retry for a minute.
const { status } = spawnSync('npx', ['--yes', '--prefer-offline', packageManager, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { TURBO_TELEMETRY_DISABLED: '1', ...headers, ...process.env },
  shell: process.platform === 'win32',
});
process.exit(status ?? 1);
