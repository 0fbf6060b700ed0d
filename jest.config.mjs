import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Tests run as compiled JavaScript: tsc has checked their types, nothing is transformed.
export default {
  // Modules are evaluated once for a worker, not once for each file of tests.
  testEnvironment: here('scripts/jest/environment.cjs'),
  runtime: here('scripts/jest/runtime.cjs'),
  testMatch: ['<rootDir>/dist/**/*.test.js'],
  transform: {},
  // Only ends what hangs: ten times what the slowest test takes on a quiet machine. No test sets a limit of its own.
  testTimeout: 600_000,
  // One more than the gate's machine has cores, as each waits for a database, a browser or a process a fifth of its
  // time; a worker that has grown over many files makes way for a new one.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  reporters: [['default', { summaryThreshold: 1_000 }], here('scripts/totals-reporter.mjs')],
};
