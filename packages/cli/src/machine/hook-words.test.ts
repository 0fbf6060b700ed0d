import { describe, expect, test } from 'vitest';
import { joinHookWords, parseHook } from './hook-words.js';

const isOption = (word: string) => ['--test', '--reload', '--once', '--verify', '--output'].includes(word);

describe('the words of a hook', () => {
  test.each([
    ['a --reload nginx -s reload', 'a --reload ["nginx","-s","reload"]'],
    [
      '--test nginx -t --reload systemctl reload nginx --once',
      '--test ["nginx","-t"] --reload ["systemctl","reload","nginx"] --once',
    ],
    ['--reload haproxy --verbose -W --verify h:1', '--reload ["haproxy","--verbose","-W"] --verify h:1'],
    ['--reload x --output=json', '--reload ["x"] --output=json'],
    ['--reload ["x","--once"] --once', '--reload ["x","--once"] --once'],
    ['--reload --once', '--reload --once'],
    ['--reload', '--reload'],
    ['--reload x -- --test y z', '--reload ["x"] -- --test y z'],
    ['run c -- x --test y', 'run c -- x --test y'],
    ['', ''],
  ])('%j become %j', (given, joined) => {
    expect(joinHookWords(given.split(' '), isOption).join(' ')).toBe(joined);
  });

  test.each([
    ['["nginx","-s","reload"]', ['nginx', '-s', 'reload']],
    ['/usr/bin/reload', ['/usr/bin/reload']],
    ['["a program","with spaces"]', ['a program', 'with spaces']],
  ])('%s are %j', (text, words) => {
    expect(parseHook(text)).toEqual(words);
  });

  test.each(['', '[]', '[""]', '["a",1]', '[', '{"a":1} b', 'systemctl reload nginx', '["a b"]'])(
    '%j are not understood',
    (text) => {
      expect(() => parseHook(text)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }));
    },
  );
});
