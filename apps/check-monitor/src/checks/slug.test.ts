import { expect, test } from 'vitest';
import { slugOf } from './slug.js';

test.each([
  ['two words', 'Database Backup', 'database-backup'],
  ['accents', 'Sauvegarde été', 'sauvegarde-ete'],
  ['signs vanish', 'a/b & c!', 'ab-c'],
  ['runs of blanks and hyphens', 'a \t--  b', 'a-b'],
  ['the ends are cleaned', ' -_x_- ', 'x'],
  ['letters that are not Latin', 'наличие', ''],
  ['a separator of records is a blank', 'a\x1eb', 'a-b'],
  ['nothing', '', ''],
  ['a ligature is taken apart', 'ﬁle', 'file'],
])('%s', (_situation, name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
