import { expect, test } from 'vitest';
import { type KeySituation, type KeyStep, type PressedKey, stepOf } from './key-steps.js';

const plain: KeySituation = { isTyping: false, isOverlaid: false, areKeysOff: false, isJumping: false };

test.each<[string, Partial<PressedKey>, Partial<KeySituation>, KeyStep | undefined]>([
  ['Ctrl K', { key: 'k', ctrlKey: true }, {}, { kind: 'palette' }],
  ['Command K with the lock of capitals', { key: 'K', metaKey: true }, {}, { kind: 'palette' }],
  ['Ctrl K in a field', { key: 'k', ctrlKey: true }, { isTyping: true }, { kind: 'palette' }],
  ['Ctrl K without keys', { key: 'k', ctrlKey: true }, { areKeysOff: true }, { kind: 'palette' }],
  ['Ctrl K in a dialog', { key: 'k', ctrlKey: true }, { isOverlaid: true }, undefined],
  ['Ctrl C', { key: 'c', ctrlKey: true }, {}, undefined],
  ['Alt C', { key: 'c', altKey: true }, {}, undefined],
  ['c', { key: 'c' }, {}, { kind: 'control', key: 'c' }],
  ['c in a field', { key: 'c' }, { isTyping: true }, undefined],
  ['c in a dialog', { key: 'c' }, { isOverlaid: true }, undefined],
  ['c without keys', { key: 'c' }, { areKeysOff: true }, undefined],
  ['/', { key: '/' }, {}, { kind: 'control', key: '/' }],
  ['?', { key: '?' }, {}, { kind: 'help' }],
  ['g', { key: 'g' }, {}, { kind: 'begin-jump' }],
  ['s after g', { key: 's' }, { isJumping: true }, { kind: 'jump', letter: 's' }],
  ['j', { key: 'j' }, {}, { kind: 'move-row', by: 1 }],
  ['k', { key: 'k' }, {}, { kind: 'move-row', by: -1 }],
  ['x', { key: 'x' }, {}, { kind: 'select-row' }],
  ['Esc', { key: 'Escape' }, {}, { kind: 'up' }],
  ['Esc in a dialog', { key: 'Escape' }, { isOverlaid: true }, undefined],
  ['Tab', { key: 'Tab' }, {}, undefined],
  ['the space bar', { key: ' ' }, {}, undefined],
])('%s', (_, pressed, situation, expected) => {
  const none = { key: '', ctrlKey: false, metaKey: false, altKey: false };
  expect(stepOf({ ...none, ...pressed }, { ...plain, ...situation })).toEqual(expected);
});
