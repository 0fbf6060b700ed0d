// Kills cert-manager at each transaction of the requests of ACME clients and at each moment of their orders with a CA, on both
// databases beside a second process, and prints what became of the orders as a table for docs/reliability.md.
import { tableOfTest } from './table-of-test.mjs';

const { rows, exitCode } = tableOfTest({
  filter: '@certloop/cert-manager',
  words: ['kill-orders', 'kill-client-issuance'],
  variable: 'CERTLOOP_CLIENT_KILLS_TABLE',
  environment: { CERTLOOP_CLIENT_KILLS: 'all' },
});
process.stdout.write(`| Database | CA | Killed | Orders or certificates at the CA | Certificates stored |
|---|---|---|---|---|
${rows}`);
process.exitCode = exitCode;
