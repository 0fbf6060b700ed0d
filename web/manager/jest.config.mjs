import shared from '../../jest.config.mjs';

export default { ...shared, testMatch: ['<rootDir>/test/**/*.test.mjs'] };
