import { expect, test } from 'vitest';
import { plainUrl } from './plain-path.js';

test.each([
  ['nothing to undo', '/api/v3/checks/?tag=%41', '/api/v3/checks/?tag=%41'],
  ['a letter', '/api/v3/%63hecks/?tag=%41', '/api/v3/checks/?tag=%41'],
  ['the base itself', '/%61pi/v1/checks/', '/api/v1/checks/'],
  ['a ping', '/%70ing/x?rid=%41', '/ping/x?rid=%41'],
  ['what proxies send', 'http://monitor.example:80/ping/x?create=1', '/ping/x?create=1'],
  ['what proxies send, encoded', 'HTTPS://monitor.example/%61pi/v3/checks', '/api/v3/checks'],
  ['only a host', 'http://monitor.example', '/'],
  ['a query after only a host', 'http://monitor.example?a=b', '/?a=b'],
  ['the server itself', '*', '*'],
  ['a slash', '/api/v3/checks%2F', '/api/v3/checks/'],
  ['a bracket', '/api/v3/checks/%5B', '/api/v3/checks/['],
  ['an encoded question mark', '/api/v3/checks/%3Fslug=a', '/api/v3/checks/%3Fslug=a'],
  ['an encoded hash sign', '/api/v3/checks/%23', '/api/v3/checks/%23'],
  ['a percent sign', '/api/v3/checks/%2541', '/api/v3/checks/%2541'],
  ['a blank', '/api/v3/checks/%20', '/api/v3/checks/%20'],
  ['no octet', '/api/v3/checks/%zz', '/api/v3/checks/%zz'],
  ['no UTF-8', '/api/v3/checks/%ff', '/api/v3/checks/%ff'],
  ['badges have names that need it', '/badge/k/s/%61.svg', '/badge/k/s/%61.svg'],
])('%s', (_situation, url, plain) => {
  expect(plainUrl(url)).toBe(plain);
});
