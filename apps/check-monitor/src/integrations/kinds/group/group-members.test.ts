import { expect, test } from 'vitest';
import { type GroupedChannel, judgeGroups, unableGroup } from './group-members.js';

const channel = (uuid: string, changed: Partial<GroupedChannel> = {}): GroupedChannel => ({
  uuid,
  projectId: 'shop',
  kind: 'email',
  settings: {},
  disabledAt: null,
  ...changed,
});
const others = [
  channel('able'),
  channel('unable', { kind: 'telegram' }),
  channel('off', { disabledAt: 1 }),
  channel('foreign', { projectId: 'bakery' }),
  channel('group', { kind: 'group', settings: { channels: ['able'] } }),
];
const obstacle = ({ kind }: GroupedChannel) => (kind === 'telegram' ? 'Telegram is off' : undefined);

test.each<[string, readonly string[], string | undefined]>([
  ['one that can send', ['able'], undefined],
  ['one that can send and others', ['unable', 'off', 'able'], undefined],
  ['one that cannot send', ['unable'], unableGroup],
  ['one that is switched off', ['off'], unableGroup],
  ['one that cannot send and one that is switched off', ['off', 'unable'], unableGroup],
  ['one that was deleted', ['gone'], unableGroup],
  ['one of another project', ['foreign'], unableGroup],
  ['another group', ['group'], unableGroup],
  ['none', [], unableGroup],
])('a group of %s is judged by it', (_, members, expected) => {
  const judged = channel('judged', { kind: 'group', settings: { channels: members } });
  expect(judgeGroups([...others, judged], obstacle)(judged)).toBe(expected);
});

test('a group whose kind cannot send is reported as such', () => {
  const judged = channel('judged', { kind: 'group', settings: { channels: ['able'] } });
  expect(judgeGroups([...others, judged], () => 'Groups are off')(judged)).toBe('Groups are off');
});

test('a channel that is not a group is judged alone', () => {
  const judge = judgeGroups(others, obstacle);
  expect(others.slice(0, 3).map(judge)).toEqual([undefined, 'Telegram is off', undefined]);
});
