import base from '../../jest.config.mjs';

export default {
  ...base,
  globalSetup: '<rootDir>/dist/src/testing/setup.js',
  globalTeardown: '<rootDir>/dist/src/testing/teardown.js',
};
