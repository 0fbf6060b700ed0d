// Tests run as compiled JavaScript: tsc has checked their types, nothing is transformed.
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/dist/**/*.test.js'],
  transform: {},
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/src/**/*.js', '!dist/src/main.js', '!dist/**/*.test.js'],
};
