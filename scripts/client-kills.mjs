// Kills cert-manager at each transaction of the requests of ACME clients and at each moment of their orders with a CA, on both
// databases beside a second process, and fails if a CA got a second order, or a certificate was lost or stored twice.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const pnpm = fileURLToPath(new URL('pnpm.mjs', import.meta.url));
const words = ['kill-orders', 'kill-client-issuance'];
const run = [pnpm, '--filter', '@certloop/cert-manager', 'run', 'test', ...words];
const env = { ...process.env, CERTLOOP_CLIENT_KILLS: 'all' };
process.exitCode = spawnSync(process.execPath, run, { stdio: 'inherit', env }).status ?? 1;
