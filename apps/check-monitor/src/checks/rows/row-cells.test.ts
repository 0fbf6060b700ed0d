import { column } from '@certloop/db';
import { expect, test } from 'vitest';
import { rowCells } from './row-cells.repository.js';

interface Row {
  readonly isOn: boolean;
  readonly isLoud: boolean | null;
  readonly name: string;
  readonly isOpen: boolean;
}

const rows = rowCells<Row>({
  isOn: column.boolean(),
  isLoud: column.boolean().nullable(),
  name: column.word(10),
  isOpen: column.boolean(),
});

test('selects a flag that may be null in its own cell, and the others as one number', () => {
  expect(rows.select).toEqual([
    'cast(is_loud as integer)',
    'name',
    '1 * cast(is_on as integer) + 2 * cast(is_open as integer)',
  ]);
});

// SQLite sends numbers, PostgreSQL digits
test.each<[string, readonly unknown[], Row]>([
  ['null', [null, 'a', 1], { isLoud: null, name: 'a', isOn: true, isOpen: false }],
  ['false', [0, 'a', 2], { isLoud: false, name: 'a', isOn: false, isOpen: true }],
  ['true', ['1', 'a', '3'], { isLoud: true, name: 'a', isOn: true, isOpen: true }],
])('reads the other flags as they are if it is %s', (_situation, cells, row) => {
  expect(rows.read(cells, {})).toEqual(row);
});
