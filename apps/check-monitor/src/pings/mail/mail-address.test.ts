import { expect, test } from 'vitest';
import { parseMailAddress } from './mail-address.js';

const uuid = '62e13f6b-a7b9-4926-8d1a-222222222222';
const key = 'abcdefghijklmnopqrstuv';

test.each([
  ['a uuid', `${uuid}@m.example`, { kind: 'uuid', uuid }],
  ['a uuid in capitals', `${uuid.toUpperCase()}@m.example`, { kind: 'uuid', uuid }],
  ['a key and a slug', `${key}+db-1@m.example`, { kind: 'slug', pingKey: key, slug: 'db-1', create: false }],
  ['another domain', `${uuid}@other.example`, 'Recipient rejected'],
  ['a domain in capitals', `${uuid}@M.example`, { kind: 'uuid', uuid }],
  ['no domain', uuid, 'Recipient rejected'],
  ['a uuid of another version', `${uuid.replace('-4', '-1')}@m.example`, 'Invalid mailbox'],
  ['a slug in capitals', `${key}+DB@m.example`, 'Invalid mailbox'],
  ['a key that is too short', 'abc+db@m.example', 'Invalid mailbox'],
  ['a name', 'postmaster@m.example', 'Invalid mailbox'],
])('%s', (_situation, address, parsed) => {
  expect(parseMailAddress(address, 'm.example')).toEqual(parsed);
  expect(parseMailAddress(address, 'M.Example')).toEqual(parsed);
});
