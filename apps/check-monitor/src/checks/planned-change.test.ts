import { expect, test } from 'vitest';
import { defaultSettings, newCheck } from './check.js';
import type { StoredStatus } from './check-timing.js';
import { type OwnChange, plannedChange } from './planned-change.js';

const origin = { projectId: 'p', uuid: 'u-u', badgeUuid: 'b', createdAt: 1 };

function checkWith(storedStatus: StoredStatus, tags = '') {
  const made = newCheck({ ...defaultSettings, tags }, origin);
  return { ...made, id: 1, storedStatus, lastPing: 5, lastStart: 7, alertAfter: 9 };
}

const long = 'x'.repeat(499);

test.each<[string, string, OwnChange, object]>([
  ['adds a tag', 'a', { action: 'add-tags', tags: ['b'] }, { outcome: 'changed', tags: 'a b' }],
  ['adds a tag once', 'a', { action: 'add-tags', tags: ['b', 'b', 'a'] }, { tags: 'a b' }],
  ['does not add a tag twice', ' a  b ', { action: 'add-tags', tags: ['b'] }, { outcome: 'unchanged' }],
  ['adds to no tags', '', { action: 'add-tags', tags: ['b'] }, { tags: 'b' }],
  ['adds up to 500 characters', long.slice(1), { action: 'add-tags', tags: ['b'] }, { outcome: 'changed' }],
  ['adds no more than 500 characters', long, { action: 'add-tags', tags: ['b'] }, { outcome: 'skipped' }],
  ['removes tags', 'a b c', { action: 'remove-tags', tags: ['c', 'a'] }, { outcome: 'changed', tags: 'b' }],
  ['removes the last tag', 'a', { action: 'remove-tags', tags: ['a'] }, { outcome: 'changed', tags: '' }],
  ['does not remove a part of a tag', 'ab', { action: 'remove-tags', tags: ['a'] }, { outcome: 'unchanged' }],
])('%s', (_name, tags, change, planned) => {
  expect(plannedChange(checkWith('up', tags), change, 20)).toMatchObject(planned);
});

test.each<[StoredStatus, 'pause' | 'resume', object]>([
  ['up', 'pause', { outcome: 'changed', flip: { from: 'up', to: 'paused', isSilent: true } }],
  ['paused', 'pause', { outcome: 'unchanged' }],
  ['paused', 'resume', { outcome: 'changed', state: { storedStatus: 'new', lastPing: null } }],
  ['down', 'resume', { outcome: 'unchanged' }],
])('of a check that is %s, a %s is %p', (status, action, planned) => {
  expect(plannedChange(checkWith(status), { action }, 20)).toMatchObject(planned);
});

test('pauses the clock of a running check', () => {
  const stopped = { storedStatus: 'paused', lastPing: 5, lastStart: null, alertAfter: null };
  expect(plannedChange(checkWith('up'), { action: 'pause' }, 20)).toMatchObject({ state: stopped });
});
