import { describe, expect, test } from 'vitest';
import { certManagerContract as api } from './index.js';

type Row = readonly [situation: string, input: unknown, output: unknown];

/** Result of a refused row instead of a value. */
const refused = Symbol('refused');

interface Reader {
  safeParse(input: unknown): { readonly success: boolean; readonly data?: unknown };
}

function table(name: string, schema: Reader, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)('%s', (_, input, output) => {
      const result = schema.safeParse(input);
      expect(result.success ? result.data : refused).toEqual(output);
    });
  });
}

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

table('space create', api.createSpace.body.schema, [
  ['name alone', { name: 'Kitchen' }, { name: 'Kitchen' }],
  ['name is trimmed', { name: ' Kitchen ', description: '' }, { name: 'Kitchen', description: '' }],
  ['unknown members go', { name: 'Kitchen', id: 5 }, { name: 'Kitchen' }],
  ['100 characters', { name: 'x'.repeat(100) }, { name: 'x'.repeat(100) }],
  ['101 characters', { name: 'x'.repeat(101) }, refused],
  ['no name', {}, refused],
  ['empty name', { name: '' }, refused],
  ['name is a number', { name: 5 }, refused],
  ['description is null', { name: 'a', description: null }, refused],
  ['description of 1001', { name: 'a', description: 'x'.repeat(1001) }, refused],
  ['an array', [], refused],
  ['null', null, refused],
]);

table('FQDN create', api.createFqdn.body.schema, [
  [
    'all',
    { fqdn: 'a.example', description: 'd', providerId: id },
    { fqdn: 'a.example', description: 'd', providerId: id },
  ],
  ['provider is not a UUID', { fqdn: 'a.example', providerId: 'acme' }, refused],
  ['provider is null', { fqdn: 'a.example', providerId: null }, refused],
  ['no fqdn', { description: 'd' }, refused],
]);

table('accepted expiry', api.setExpiryAccepted.body.schema, [
  ['true', { accepted: true }, { accepted: true }],
  [
    'until a moment',
    { accepted: true, until: '2026-05-01T00:00:00Z' },
    { accepted: true, until: '2026-05-01T00:00:00Z' },
  ],
  ['a date without a time', { accepted: true, until: '2026-05-01' }, refused],
  ['a missing date', { accepted: true, until: null }, refused],
  ['a text', { accepted: 'true' }, refused],
  ['absent', {}, refused],
]);

table('renewal switch', api.setRenewalEnabled.body.schema, [
  ['true', { renewalEnabled: true }, { renewalEnabled: true }],
  ['a text', { renewalEnabled: 'true' }, refused],
  ['absent', {}, refused],
  [
    'with its own fraction',
    { renewalEnabled: true, renewAfterFraction: 0.1 },
    { renewalEnabled: true, renewAfterFraction: 0.1 },
  ],
  [
    'with the greatest share',
    { renewalEnabled: false, renewAfterFraction: 0.9 },
    { renewalEnabled: false, renewAfterFraction: 0.9 },
  ],
  [
    'with the usual share',
    { renewalEnabled: true, renewAfterFraction: null },
    { renewalEnabled: true, renewAfterFraction: null },
  ],
  ['a share too small', { renewalEnabled: true, renewAfterFraction: 0.09 }, refused],
  ['a share too great', { renewalEnabled: true, renewAfterFraction: 0.91 }, refused],
  ['a share as text', { renewalEnabled: true, renewAfterFraction: '0.5' }, refused],
]);

table('renewal queue', api.listRenewals.query, [
  ['nothing', {}, {}],
  ['all', { status: 'failed', spaceId: id, limit: '10' }, { status: 'failed', spaceId: id, limit: 10 }],
  ['unknown status', { status: 'done' }, refused],
  ['two statuses', { status: ['failed', 'pending'] }, refused],
  ['space is not a UUID', { spaceId: 'kitchen' }, refused],
  ['limit 0', { limit: '0' }, refused],
  ['limit 1001', { limit: '1001' }, refused],
]);

table('confirmation', api.deleteAllFqdns.query, [
  ['the text true', { confirm: 'true' }, { confirm: 'true' }],
  ['absent', {}, refused],
  ['false', { confirm: 'false' }, refused],
  ['capitals', { confirm: 'TRUE' }, refused],
  ['1', { confirm: '1' }, refused],
  ['repeated', { confirm: ['true', 'true'] }, refused],
]);

table('user create', api.createUser.body.schema, [
  [
    'all',
    { username: 'ada', email: 'ada@example.com', password: 'correct horse', isAdmin: true },
    { username: 'ada', email: 'ada@example.com', password: 'correct horse', isAdmin: true },
  ],
  [
    'a local address',
    { username: 'ada', email: 'ada@localhost', password: 'p' },
    { username: 'ada', email: 'ada@localhost', password: 'p' },
  ],
  ['an invalid e-mail address', { username: 'ada', email: 'ada', password: 'p' }, refused],
  [
    '255 characters of e-mail',
    { username: 'ada', email: `${'a'.repeat(243)}@example.com`, password: 'p' },
    refused,
  ],
  ['two letters of name', { username: 'ad', email: 'a@b.c', password: 'p' }, refused],
  ['a blank in the name', { username: 'ada l', email: 'a@b.c', password: 'p' }, refused],
  ['letters beyond ASCII in the name', { username: 'adä', email: 'a@b.c', password: 'p' }, refused],
  [
    '128 emoji of password',
    { username: 'ada', email: 'a@b.c', password: '🚀'.repeat(128) },
    { username: 'ada', email: 'a@b.c', password: '🚀'.repeat(128) },
  ],
  ['half an emoji of password', { username: 'ada', email: 'a@b.c', password: 'correct \ud83d' }, refused],
  ['129 characters of password', { username: 'ada', email: 'a@b.c', password: 'p'.repeat(129) }, refused],
  ['isAdmin is a text', { username: 'ada', email: 'a@b.c', password: 'p', isAdmin: 'true' }, refused],
]);

table('user update', api.updateUser.body.schema, [
  ['nothing', {}, {}],
  ['one member', { enabled: false }, { enabled: false }],
  ['null', { enabled: null }, refused],
]);

table('group create', api.createPermissionGroup.body.schema, [
  ['name and permission', { name: 'g', permission: 'READ' }, { name: 'g', permission: 'READ' }],
  ['no permission', { name: 'g' }, refused],
  ['another permission', { name: 'g', permission: 'read' }, refused],
  ['spaces that are not UUIDs', { name: 'g', permission: 'READ', spaceIds: ['x'] }, refused],
]);

table('provider config', api.setProviderConfig.body.schema, [
  ['any keys', { config: { a: [1], b: null } }, { config: { a: [1], b: null } }],
  ['empty', { config: {} }, { config: {} }],
  ['array', { config: [] }, refused],
  ['null', { config: null }, refused],
  ['absent', {}, refused],
]);

table('test renewal', api.createTestRenewal.body.schema, [
  [
    'a year ahead',
    { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: 525_600 },
    { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: 525_600 },
  ],
  ['longer', { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: 525_601 }, refused],
  ['in the past', { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: -1 }, refused],
  ['half a minute', { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: 0.5 }, refused],
  ['a text', { certificateId: id, fqdnId: id, spaceId: id, minutesFromNow: '5' }, refused],
]);

table('audit query', api.listAuditLogs.query, [
  ['defaults', {}, { limit: 100, offset: 0, order: 'desc' }],
  ['a page', { limit: '1000', offset: '20' }, { limit: 1000, offset: 20, order: 'desc' }],
  ['limit 0', { limit: '0' }, refused],
  ['limit 1001', { limit: '1001' }, refused],
  ['offset -1', { offset: '-1' }, refused],
  [
    'a range of addresses',
    { ipAddress: '10.0.0.0/8' },
    { limit: 100, offset: 0, order: 'desc', ipAddress: '10.0.0.0/8' },
  ],
  ['no address', { ipAddress: 'here' }, refused],
  ['another order', { order: 'up' }, refused],
  ['from is not an instant', { from: 'yesterday' }, refused],
  ['unknown parameters go', { colour: 'red' }, { limit: 100, offset: 0, order: 'desc' }],
]);

table('API token create', api.createApiToken.body.schema, [
  ['name and scope', { name: 'ci', scope: 'READ' }, { name: 'ci', scope: 'READ' }],
  ['ADMIN is a scope', { name: 'ci', scope: 'ADMIN' }, { name: 'ci', scope: 'ADMIN' }],
  ['an empty list of spaces', { name: 'ci', scope: 'READ', spaceIds: [] }, refused],
  ['an address instead of a range', { name: 'ci', scope: 'READ', allowedCidrs: ['10.0.0.1'] }, refused],
  ['another scope', { name: 'ci', scope: 'ROOT' }, refused],
]);
