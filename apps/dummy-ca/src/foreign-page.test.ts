import { expect, test } from 'vitest';
import { isFromOtherSite } from './foreign-page.js';

const host = 'ca.example.org:3002';
const own = { method: 'POST', host, origin: undefined, fetchSite: undefined };
const page = (name: string) => ({ ...own, host: name, origin: `http://${name}` });

test.each([
  ['a client by any name', own, false],
  ['a client without a name', { ...own, host: undefined }, false],
  ['a page of localhost', page('localhost:3002'), false],
  ['a page of an address', page('127.0.0.1:3002'), false],
  ['a page of an IPv6 address', page('[::1]:3002'), false],
  ['a page of a container', page('dummy-ca:3002'), false],
  ['a page of a local domain', page('ca.test'), false],
  ['a page of the public address', page('ca.example.com'), false],
  ['a page of a name that leads here', page(host), true],
  ['a page of another port', { ...page('localhost:3002'), origin: 'http://localhost:3000' }, true],
  ['a page of another site', { ...page('localhost:3002'), origin: 'http://evil.example' }, true],
  ['a page without an origin of its own', { ...page('localhost:3002'), origin: 'null' }, true],
  ['another site by its fetch metadata', { ...own, fetchSite: 'cross-site' }, true],
  ['another service of the site', { ...own, fetchSite: 'same-site' }, true],
  ['what the user typed', { ...own, fetchSite: 'none' }, false],
  ['a page of this service', { ...page('localhost'), fetchSite: 'same-origin' }, false],
  ['a GET from elsewhere', { ...own, method: 'GET', fetchSite: 'cross-site' }, false],
])('%s', (_situation, request, isRefused) => {
  expect(isFromOtherSite(request, 'ca.example.com')).toBe(isRefused);
});
