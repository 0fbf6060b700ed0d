import { expect, test } from 'vitest';
import { renewedFiles } from './renewed-files.js';

test.each([
  [{}, undefined],
  [{ RENEWED_LINEAGE: '', RENEWED_DOMAINS: 'a.test' }, undefined],
  [
    { RENEWED_LINEAGE: '/etc/letsencrypt/live/a.test', RENEWED_DOMAINS: 'a.test *.b.test' },
    {
      names: ['a.test', '*.b.test'],
      certificate: '/etc/letsencrypt/live/a.test/fullchain.pem',
      key: '/etc/letsencrypt/live/a.test/privkey.pem',
      dir: '/etc/letsencrypt/live/a.test',
    },
  ],
  [{ LEGO_CERT_PATH: '/x/a.test.crt' }, undefined],
  [
    {
      LEGO_CERT_PATH: '/x/a.test.crt',
      LEGO_CERT_KEY_PATH: '/x/a.test.key',
      LEGO_CERT_DOMAIN: 'a.test',
    },
    { names: ['a.test'], certificate: '/x/a.test.crt', key: '/x/a.test.key', dir: '/x' },
  ],
])('the environment %j names %j', (env, files) => {
  expect(renewedFiles(env)).toEqual(files);
});
