import { certManagerContract, createClient } from '@certloop/contracts';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { requestsOfPage, writtenRequest } from '../curl/written-requests.js';
import { invalidateChanged } from './changes.browser.js';
import { listOptions, pageOptions } from './list-options.js';
import { describeClient } from './operations.js';
import { background, lookUpOptions, queryOptions, showing } from './query-options.js';
import { resourceOf } from './resource-paths.js';

const serviceUrl = 'https://certs.example.org';
const place = { id: 's1', fqdnId: 'f1' };

/** A client whose service answers each request with its number, and the requests that it sent. */
function startedApi() {
  const sent: { readonly url: string; readonly headers: Headers }[] = [];
  const client = createClient(certManagerContract, {
    baseUrl: serviceUrl,
    fetch: async (url, { headers }) => {
      sent.push({ url: url.slice(serviceUrl.length), headers: new Headers(headers) });
      return Response.json([{ id: String(sent.length) }], {
        headers: { 'x-total-count': '2', link: '</spaces/s1/fqdns?cursor=c1>; rel="next"' },
      });
    },
  });
  const api = describeClient(client, certManagerContract, {
    serviceUrl,
    basePath: '',
    programsCallBy: () => 'token',
    dependencies: { listAllFqdns: ['/spaces'], countFqdnStates: ['/spaces'] },
  });
  return { api, sent };
}

const { api } = startedApi();
const { signal } = new AbortController();

test.each([
  [
    'an operation without input',
    queryOptions(api.listProviders),
    ['listProviders', '/providers', { query: {} }],
  ],
  [
    'its parameters and its query',
    queryOptions(api.listFqdns, { params: { id: 's 1' }, query: { q: 'a' } }),
    ['listFqdns', '/spaces/s%201/fqdns', { query: { q: 'a' } }],
  ],
  [
    'its body',
    queryOptions(api.changeFqdns, { body: { ids: ['f1'], action: 'renewal-on', dryRun: true } }),
    ['changeFqdns', '/fqdns/bulk', { query: {}, body: { ids: ['f1'], action: 'renewal-on', dryRun: true } }],
  ],
  ['no headers', queryOptions(api.getWatch, { headers: background }), ['getWatch', '/watch', { query: {} }]],
  [
    'that only one page was loaded',
    pageOptions(api.listAllFqdns, { query: { limit: '5' } }),
    ['listAllFqdns', '/fqdns', { query: { limit: '5' } }, 'page'],
  ],
  [
    'that all pages are loaded',
    listOptions(api.listAllFqdns, {}),
    ['listAllFqdns', '/fqdns', { query: {} }, 'pages'],
  ],
  [
    'that it only looks a row up',
    lookUpOptions(api.getFqdn, { params: place }),
    ['getFqdn', '/spaces/s1/fqdns/f1', { query: {} }, 'look-up'],
  ],
])('a key names %s', (_, { queryKey }, expected) => {
  expect(queryKey).toEqual(expected);
});

test('two pages that load the same share one key', () => {
  const withoutInput = queryOptions(api.countFqdnStates);
  expect(queryOptions(api.countFqdnStates, { query: {} }).queryKey).toEqual(withoutInput.queryKey);
});

test('loads the body, and pages with their total and their end', async () => {
  const { api, sent } = startedApi();
  expect(await queryOptions(api.getFqdn, { params: place }).queryFn({ signal })).toEqual([{ id: '1' }]);
  const input = { params: { id: 's1' }, query: { q: 'a' } };
  expect(await listOptions(api.listFqdns, input).load('c1', signal)).toEqual({
    rows: [{ id: '2' }],
    total: 2,
    next: 'c1',
  });
  const beforeEnd = {
    pageOf: () => ({ rows: [], total: undefined, next: undefined }),
    next: (before: string) => ({ before }),
  };
  await listOptions(api.listFqdns, input, beforeEnd).load('c2', signal);
  await lookUpOptions(api.getFqdn, { params: place }).queryFn({ signal });
  expect(sent.map(({ url }) => url)).toEqual([
    '/spaces/s1/fqdns/f1',
    '/spaces/s1/fqdns?q=a&cursor=c1',
    '/spaces/s1/fqdns?q=a&before=c2',
    '/spaces/s1/fqdns/f1',
  ]);
  expect(sent.map(({ headers }) => headers.get('x-activity'))).toEqual([null, null, null, 'background']);
});

test('rejects functions that are no operations', () => {
  expect(() => queryOptions(async () => ({ body: 1 }))).toThrow('not an operation');
});

/** The queries that are loaded again after a change. */
async function loadedAgain(changed: readonly string[]) {
  const options = {
    name: queryOptions(api.getFqdn, { params: place }),
    otherName: queryOptions(api.getFqdn, { params: { id: 's1', fqdnId: 'f2' } }),
    certificates: queryOptions(api.listCertificates, { params: { spaceId: 's1', fqdnId: 'f1' } }),
    namesOfSpace: queryOptions(api.listFqdns, { params: { id: 's1' } }),
    namesOfOther: queryOptions(api.listFqdns, { params: { id: 's2' } }),
    policy: queryOptions(api.getIssuancePolicy, { params: { id: 's1' } }),
    spaces: queryOptions(api.listSpaces),
    allNames: queryOptions(api.listAllFqdns),
    counts: queryOptions(api.countFqdnStates),
    logOfName: showing(queryOptions(api.listAuditLogs), ['/spaces/s1/fqdns/f1']),
    providers: queryOptions(api.listProviders),
  };
  const queries = new QueryClient();
  const loaded: string[] = [];
  for (const [name, { queryKey, meta }] of Object.entries(options)) {
    const queryFn = async () => loaded.push(name);
    // as if a page showed it
    new QueryObserver(queries, { queryKey, meta, queryFn, initialData: 0, staleTime: 60_000 }).subscribe(
      () => undefined,
    );
  }
  await invalidateChanged(queries, changed);
  queries.clear();
  return loaded;
}

const ofName = ['name', 'certificates', 'namesOfSpace', 'spaces', 'allNames', 'counts', 'logOfName'];

test.each([
  ['one name', [resourceOf(api.getFqdn, { params: place })], ofName],
  [
    'many names',
    ['/spaces'],
    [
      'name',
      'otherName',
      'certificates',
      'namesOfSpace',
      'namesOfOther',
      'policy',
      'spaces',
      'allNames',
      'counts',
      'logOfName',
    ],
  ],
  ['a policy', ['/spaces/s1/issuance-policy'], ['policy', 'spaces', 'allNames', 'counts']],
  ['providers', [resourceOf(api.listProviders)], ['providers']],
  ['nothing', [], []],
])('a change of %s loads again what depends on it', async (_, changed, expected) => {
  expect(await loadedAgain(changed)).toEqual(expected);
});

test('writes the request of a query by its contract and its input', () => {
  const options = listOptions(api.listFqdns, { params: { id: 's1' }, query: { q: 'a b' } });
  const request = { method: 'GET', url: `${serviceUrl}/spaces/s1/fqdns?q=a+b`, by: 'token' };
  expect(options.meta.call && writtenRequest(options.meta.call)).toEqual(request);
  const ofFrame = { meta: { ...queryOptions(api.getWatch).meta, isOfFrame: true } };
  expect(requestsOfPage([options, ofFrame, { meta: undefined }, options])).toEqual([request]);
});
