// A folder of many files is a list without headings: a folder of sources or tests that grows gets folders of its own,
// named after nouns. Migrations are one file a released step, so their folders grow with each release.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const maxFiles = 20;

const folders = /^(apps|packages|web)\/[^/]+\/(src|test)(\/|$)/;
const isFree = (folder) => folder.endsWith('/src/migrations') || /\/(data|testdata)(\/|$)/.test(folder);

/** The folders of a tree with more than `maxFiles` files, without those of their folders, as `folder: files`. */
export function fullFolders(root) {
  return ['apps', 'packages', 'web'].flatMap((folder) => fullBelow(root, folder)).sort();
}

function fullBelow(root, folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  const isFull = folders.test(folder) && !isFree(folder) && files > maxFiles;
  return [
    ...(isFull ? [`${folder}: ${files}`] : []),
    ...entries
      .filter((entry) => entry.isDirectory() && !/^(node_modules|dist)$/.test(entry.name))
      .flatMap(({ name }) => fullBelow(root, `${folder}/${name}`)),
  ];
}
