import { expect, test } from '@jest/globals';
import { createLabels } from './provider-labels.js';

test('keeps the first names as labels and gives all further ones a label of their own', () => {
  const labelOf = createLabels(2);
  expect(['acme', 'staging', 'third', 'acme', 'fourth', 'staging'].map(labelOf)).toEqual([
    'acme',
    'staging',
    '(other)',
    'acme',
    '(other)',
    'staging',
  ]);
});
