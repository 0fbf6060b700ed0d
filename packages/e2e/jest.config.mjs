import base from '../../jest.config.mjs';

export default {
  ...base,
  globalSetup: '@certloop/db/testing/setup',
  globalTeardown: '@certloop/db/testing/teardown',
};
