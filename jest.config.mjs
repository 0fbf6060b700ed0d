import { fileURLToPath } from 'node:url';

// Tests run as compiled JavaScript: tsc has checked their types, nothing is transformed.
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/dist/**/*.test.js'],
  transform: {},
  // A bound for what hangs; a busy machine makes honest tests slow.
  testTimeout: 60_000,
  reporters: [
    ['default', { summaryThreshold: 1_000 }],
    fileURLToPath(new URL('scripts/totals-reporter.mjs', import.meta.url)),
  ],
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/src/**/*.js', '!dist/src/main.js', '!dist/**/*.test.js'],
};
