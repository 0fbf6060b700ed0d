import base from '../../jest.config.mjs';

export default {
  ...base,
  globalSetup: '@certloop/db/testing/setup',
  globalTeardown: '@certloop/db/testing/teardown',
  // Real processes on a machine with two cores: one file at a time, and time enough.
  maxWorkers: 1,
  testTimeout: 120_000,
};
