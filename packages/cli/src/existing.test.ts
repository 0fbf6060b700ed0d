import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { allowRename, findEnough } from './existing.js';
import { processIo } from './io.js';

const same = { id: 'a1' };

/** A terminal with an answer, or none. */
function terminal(answer?: string) {
  const asked: string[] = [];
  const isTTY = answer !== undefined;
  const io = {
    ...processIo(),
    isInputTerminal: isTTY,
    err: Object.assign(new Writable(), { isTTY }),
    ask: async (question: string) => {
      asked.push(question);
      return answer ?? '';
    },
  };
  return { io, asked };
}

/** Returns what a creation does on a terminal with an answer, or without a terminal. */
async function create(found: typeof same | undefined, options: object, answer?: string) {
  let isUnchanged = false;
  const { io, asked } = terminal(answer);
  const unchanged = () => {
    isUnchanged = true;
  };
  const enough = await findEnough({ io, unchanged }, found, 'a group readers', options);
  return { enough, isUnchanged, asked };
}

const question = 'a group readers already exists (a1). Create another one? [y/N] ';

describe('a creation', () => {
  test.each([
    [
      'without one of the name',
      undefined,
      {},
      undefined,
      { enough: undefined, isUnchanged: false, asked: [] },
    ],
    [
      'with --if-not-exists',
      same,
      { ifNotExists: true },
      'n',
      { enough: same, isUnchanged: true, asked: [] },
    ],
    ['with --twin', same, { twin: true }, 'n', { enough: undefined, isUnchanged: false, asked: [] }],
    ['after yes', same, {}, 'y', { enough: undefined, isUnchanged: false, asked: [question] }],
  ])('goes on %s', async (_when, found, options, answer, expected) => {
    expect(await create(found, options, answer)).toEqual(expected);
  });

  test.each([
    ['after no', 'n', 'nothing was changed'],
    [
      'without a terminal',
      undefined,
      'a group readers already exists (a1): use it with --if-not-exists, or create another one with --twin',
    ],
  ])('ends %s', async (_when, answer, reason) => {
    await expect(create(same, {}, answer)).rejects.toThrow(reason);
  });
});

describe('a new name', () => {
  const all = [
    { id: 'a1', name: 'Shop' },
    { id: 'b2', name: 'Mail' },
  ];
  const rename = async (name: string | undefined, twin?: true, answer?: string) => {
    const { io, asked } = terminal(answer);
    await allowRename({ io }, all, { id: 'a1', name }, { said: 'space', twin });
    return asked;
  };

  test.each([
    ['that is free', 'Web', undefined, []],
    ['that it has already', 'Shop', undefined, []],
    ['that is not given', undefined, undefined, []],
    ['with --twin', 'Mail', true, []],
    ['after yes', 'Mail', undefined, ['another space Mail already exists (b2). Rename it? [y/N] ']],
  ] as const)('is taken %s', async (_when, name, twin, asked) => {
    expect(await rename(name, twin, 'y')).toEqual(asked);
  });

  test.each([
    ['after no', 'n', 'nothing was changed'],
    [
      'without a terminal',
      undefined,
      'another space Mail already exists (b2): choose another name, or add --twin',
    ],
  ])('is refused %s', async (_when, answer, reason) => {
    await expect(rename('Mail', undefined, answer)).rejects.toThrow(reason);
  });
});
