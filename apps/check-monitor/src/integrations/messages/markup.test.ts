import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { anEvent, viewOf } from '../../../test/support/events.js';
import {
  escapeMarkdown,
  factLines,
  fencedCode,
  htmlMarkup,
  joinBlocks,
  type Markup,
  markdown,
  plainText,
} from './markup.js';

const hostile = anEvent({
  projectName: '<b>*Jobs* & co</b>',
  check: { tags: 'a`b', tagList: ['a`b'] },
  lastPing: null,
});

describe('facts', () => {
  test.each<[string, Markup, string[]]>([
    ['HTML', htmlMarkup, ['<b>Project:</b> &lt;b&gt;*Jobs* &amp; co&lt;/b&gt;', '<b>Tags:</b> a`b']],
    ['Markdown', markdown, ['**Project:** &lt;b&gt;\\*Jobs\\* &amp; co&lt;/b&gt;', '**Tags:** a\\`b']],
    ['plain text', plainText, ['Project: <b>*Jobs* & co</b>', 'Tags: a`b']],
  ])('in %s', (_kind, markup, lines) => {
    expect(factLines(viewOf(hostile), markup).split(markup.lineBreak).slice(1, 3)).toEqual(lines);
  });
});

test.each([
  [1, 'Went Down: 2026-01-01 12:00:00 UTC'],
  [45, 'Went Down: 2026-01-01 12:00:00 UTC'],
  [60, 'Went Down: 2026-01-01 12:00:00 UTC\nProject: a project'],
])('facts cut to %i octets keep the time', (max, lines) => {
  const event = anEvent({ projectName: 'a project', check: { tagList: [] } });
  expect(factLines(viewOf(event), plainText, max).split('\n').slice(0, 2).join('\n')).toBe(lines);
});

describe('Markdown', () => {
  test.each([
    ['2026-01-01 12:00:00 UTC+02:00 (Europe/Riga).', '2026-01-01 12:00:00 UTC+02:00 (Europe/Riga).'],
    ['db_backup_1', 'db_backup_1'],
    ['_a_ b_', '\\_a\\_ b\\_'],
    ['*a* 2*3', '\\*a\\* 2\\*3'],
    ['[a](https://x.example)', '\\[a\\](https://x.example)'],
    ['a`b\\c', 'a\\`b\\\\c'],
    ['~~a~~ ~b', '\\~~a\\~~ ~b'],
    ['a & <b> &amp;', 'a &amp; &lt;b&gt; &amp;amp;'],
    ['a\n# b\n- c\n1. d', 'a\n\\# b\n\\- c\n1\\. d'],
  ])('escapes %j only where it would be markup', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

test('a fence within a code block does not end it', () => {
  expect(fencedCode('a\n```\nb')).toBe("```\na\n'''\nb\n```");
});

describe('blocks', () => {
  test.each<[string, (string | undefined)[], number, string]>([
    ['all that fit', ['a', 'b'], 100, 'a\n\nb'],
    ['an absent part leaves no gap', ['a', undefined, 'b'], 100, 'a\n\nb'],
    ['exactly full', ['a', 'b'], 4, 'a\n\nb'],
    ['one octet too much', ['a', 'b'], 3, 'a'],
    ['a later one may still fit', ['a', 'bbbbbb', 'c'], 4, 'a\n\nc'],
    ['octets count, not letters', ['a', 'é'], 4, 'a'],
    ['the first always stays', ['too long'], 2, 'too long'],
  ])('%s', (_situation, blocks, max, text) => {
    expect(joinBlocks(blocks, max)).toBe(text);
  });
});

test.each(['\n', ' ', '1', '_', '-', '\n ', '1.'])(
  'escapes a long text of %j in time that its length limits',
  async (piece) => {
    const text = `\n${piece.repeat(100_000 / piece.length)}x`;
    expect(await excessMs(50, () => cpuMsOf(() => escapeMarkdown(text)))).toBeUndefined();
  },
);
