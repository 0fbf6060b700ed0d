import { expect, test } from 'vitest';
import { lastingText } from './lasting-text.js';

const text = (textContent: string) => ({ nodeName: '#text', textContent, childNodes: [] });
const element = (nodeName: string, ...childNodes: Parameters<typeof lastingText>[0][]) => ({
  nodeName,
  textContent: childNodes.map((child) => child.textContent).join(''),
  childNodes,
});
const moment = (words: string, dateTime: string) => ({ ...element('TIME', text(words)), dateTime });

test.each([
  ['plain text', element('TD', text('valid')), 'valid'],
  ['nested text', element('TD', element('SPAN', text('due')), text(', try 2')), 'due, try 2'],
  ['the instant of a moment', element('TD', text('down '), moment('3 minutes ago', 'T1')), 'down T1'],
  ['no text of a chart', element('TD', element('svg', text('now'))), ''],
  ['no text of an empty cell', element('TD'), ''],
])('accepts %s', (_, node, expected) => {
  expect(lastingText(node)).toBe(expected);
});
