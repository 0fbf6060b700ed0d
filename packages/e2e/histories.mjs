// Plays random histories of names through the three services in one process, with one moved clock:
// node packages/e2e/histories.mjs --seed 1 --count 10000 --on postgres. Needs a build.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const options = { seed: { type: 'string' }, count: { type: 'string' }, on: { type: 'string' } };
const { seed = '1', count = '1000', on = 'sqlite' } = parseArgs({ options }).values;
const env = { ...process.env, HISTORIES_SEED: seed, HISTORIES_COUNT: count };
const config = ['--config', '../../vitest.config.mjs', '--testTimeout=86400000'];
const args = ['vitest', 'run', 'dist/test/alerts/histories.test.js', '-t', `on ${on}`, ...config];
const child = spawn('npx', args, { cwd: import.meta.dirname, env, stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
