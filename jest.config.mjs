import { fileURLToPath } from 'node:url';

// Tests run as compiled JavaScript: tsc has checked their types, nothing is transformed.
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/dist/**/*.test.js'],
  transform: {},
  // A bound for what hangs; a busy machine makes honest tests slow.
  testTimeout: 60_000,
  // As many as the gate's machine has cores; a worker that has grown over many files makes way for a new one.
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
  reporters: [
    ['default', { summaryThreshold: 1_000 }],
    fileURLToPath(new URL('scripts/totals-reporter.mjs', import.meta.url)),
  ],
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/src/**/*.js', '!dist/src/main.js', '!dist/**/*.test.js'],
};
