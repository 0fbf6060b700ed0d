import { expect, test } from 'vitest';
import { greetingText } from '../../src/greeting.js';

const credentials = {
  certManager: {
    url: 'http://127.0.0.1:3000',
    httpsUrl: 'https://localhost:3444',
    username: 'admin',
    password: 'secret-1',
    token: 'secret-2',
  },
  checkMonitor: {
    url: 'http://127.0.0.1:3001',
    readWriteKey: 'secret-3',
    readOnlyKey: 'secret-4',
    pingKey: 'secret-5',
    email: 'stack@localhost.test',
    password: 'secret-6',
  },
  dummyCa: {
    url: 'http://127.0.0.1:3002',
    httpsUrl: 'https://localhost:3443',
    rootFile: '/srv/certloop/data/root.pem',
  },
};
const complete = {
  integrations: 2,
  checks: 36,
  checksWithoutIntegration: 0,
  canSend: 2,
  switchedOff: 0,
  unable: 0,
  failing: 0,
};

test.each([
  [
    'there is no integration',
    { ...complete, integrations: 0 },
    /none before you add an integration, such as:\nnpm run monitor -- /,
  ],
  [
    'some checks have none',
    { ...complete, checksWithoutIntegration: 3 },
    /3 of 36 checks have no integration/,
  ],
  ['one cannot send', { ...complete, unable: 1 }, /1 of 2 integrations are off or failing/],
  [
    'one fails and one is off',
    { ...complete, switchedOff: 1, failing: 1 },
    /2 of 2 integrations are off or failing/,
  ],
  ['nothing is missing', complete, /first steps .*\nCtrl-C stops everything\.\n$/],
  ['the monitor does not say', undefined, /first steps .*\nCtrl-C stops everything\.\n$/],
])('the output of the start is short and has no secret when %s', (_situation, reach, expected) => {
  for (const workingFolder of ['/srv/certloop', '/home/ada']) {
    const text = greetingText({
      credentials,
      dataDir: '/srv/certloop/data',
      workingFolder,
      ms: 4_210,
      hasConsoles: true,
      reach,
    });
    expect(text).toMatch(expected);
    expect(text).not.toContain('secret');
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110);
  }
});

test.each([
  [
    'with consoles',
    true,
    `manager console  http://127.0.0.1:3000/ui/   as admin
  monitor console  http://127.0.0.1:3001/ui/   as stack@localhost.test`,
  ],
  [
    'without consoles',
    false,
    `manager API      http://127.0.0.1:3000   as admin
  monitor API      http://127.0.0.1:3001`,
  ],
])('the output of the start %s names every address and the folder of the files', (_, hasConsoles, first) => {
  const folders = { dataDir: '/srv/certloop/data', workingFolder: '/srv/certloop' };
  const text = greetingText({ ...folders, credentials, ms: 4_210, hasConsoles, reach: complete });
  expect(text).toBe(`
CertLoop is up after 4.2 s
  ${first}
  passwords        ./data/credentials.json
  dummy-ca         http://127.0.0.1:3002   ACME at https://localhost:3443/acme/directory
  ACME clients     https://localhost:3444/acme/directory
  files            ./data: root.pem, logs
  first steps      npm run demo; docs/first-certificate.md
Ctrl-C stops everything.
`);
});
