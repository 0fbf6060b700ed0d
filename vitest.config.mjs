import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import SlowestFirst from './scripts/tests/sequencer.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const [everywhere, folder] = [here('.'), `${process.cwd()}/`];
const usesDatabase =
  folder === everywhere || ['cert-manager', 'check-monitor', 'db', 'e2e'].includes(basename(folder));
const database = ['setup', 'teardown'].map((name) => here(`packages/db/dist/src/testing/${name}.js`));

// For a run over the package in whose folder it begins, or at the root over all. Tests run as compiled JavaScript: tsc has
// checked their types.
export default {
  test: {
    include: ['**/dist/**/*.test.js', '**/test/*.test.mjs'],
    // What tests import is loaded by Node, once for a worker and not once for each file of tests.
    isolate: false,
    pool: 'forks',
    server: { deps: { external: [/\/dist\/.*(?<!\.test)\.js$/] } },
    globalSetup: usesDatabase ? database : [],
    // Only end what hangs: ten times what the slowest test takes on a quiet machine. No test sets a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One more than the gate's machine has cores, as each waits for a database, a browser or a process a fifth of its
    // time.
    maxWorkers: 3,
    sequence: { hooks: 'list', sequencer: SlowestFirst },
    reporters: ['default', here('scripts/tests/totals-reporter.mjs')],
    slowTestThreshold: 600_000,
    disableConsoleIntercept: true,
    // every run has the same order
    cache: false,
  },
};
