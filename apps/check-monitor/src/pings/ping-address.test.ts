import { describe, expect, test } from 'vitest';
import { parsePingAddress } from './ping-address.js';

const uuid = '62e13f6b-a7b9-4926-9c3d-0000000000ab';
const key = 'abcdefghijklmnopqrstuv';

function spelled(path: string, query: string): string {
  const found = parsePingAddress(path, query);
  if (found === undefined) return 'none';
  const { target, action, exitStatus, runId } = found;
  const check =
    target.kind === 'uuid'
      ? target.uuid
      : `${target.pingKey} ${target.slug}${target.create ? ' create' : ''}`;
  return [check, action, exitStatus, runId].filter((part) => part !== undefined).join(' ');
}

describe('ping addresses', () => {
  test.each([
    [uuid, '', `${uuid} success`],
    [`${uuid}/`, '', `${uuid} success`],
    [uuid.toUpperCase(), '', `${uuid} success`],
    [`${uuid}/start`, '', `${uuid} start`],
    [`${uuid}/fail/`, '', `${uuid} fail`],
    [`${uuid}/log`, '', `${uuid} log`],
    [`${uuid}/007`, '', `${uuid} success 007`],
    [uuid, 'rid=a&rid=b', `${uuid} success b`],
    [uuid, 'rid=', `${uuid} success `],
    [`${uuid}/abc`, '', `${uuid} abc success`],
    [`${uuid}/START`, '', `${uuid} START success`],
    [`${uuid}/-1`, '', `${uuid} -1 success`],
    [`${key}/job`, '', `${key} job success`],
    [`${key}/job/`, '', `${key} job success`],
    [`${key}/job/start`, 'create=1', `${key} job create start`],
    [`${key}/job/12`, 'create=0', `${key} job success 12`],
    [`${key}/j%6Fb`, '', `${key} job success`],
    [`${uuid}/1.5`, '', 'none'],
    [`${uuid}/start/x`, '', 'none'],
    [key, '', 'none'],
    [`${key}/job/success`, '', 'none'],
    [`${key}/jo.b`, '', 'none'],
    [`${key}/%zz`, '', 'none'],
    ['', '', 'none'],
  ])('%s ? %s → %s', (path, query, found) => {
    expect(spelled(path, query)).toBe(found);
  });
});
