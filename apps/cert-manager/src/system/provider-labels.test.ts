import { expect, test } from 'vitest';
import { createLabels } from './watched-providers.service.js';

test('uses the first names as labels, and one common label for all further ones', () => {
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
