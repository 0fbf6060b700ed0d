// One name, one meaning: within an app, a package or a folder of the consoles, no two files export a function of the
// same name. A reader who searches for a name finds one function.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const exportedFunction =
  /^export (?:async )?function\*? (\w+)|^export const (\w+)(?:: .+)? = (?:async )?(?:<.+>)?(?:\w+ =>|\()/gm;
const isSource = (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|(^|\/)migrations\//.test(file);

/** Names of functions that several files of one folder of sources export, as `folder: name: file, file`. */
export function repeatedNames(root) {
  return ['apps', 'packages', 'web'].flatMap((group) =>
    foldersOf(join(root, group)).flatMap((name) => repeatedIn(root, `${group}/${name}`)),
  );
}

function repeatedIn(root, folder) {
  const sources = join(root, folder, 'src');
  const filesByName = new Map();
  for (const file of filesBelow(sources)) {
    for (const name of exportedBy(readFileSync(join(sources, file), 'utf8'))) {
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
    }
  }
  return [...filesByName]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${folder}: ${name}: ${files.join(', ')}`);
}

/** Each name once: overloads repeat it in one file. */
function exportedBy(text) {
  return new Set([...text.matchAll(exportedFunction)].map(([, declared, assigned]) => declared ?? assigned));
}

function filesBelow(folder) {
  try {
    return readdirSync(folder, { recursive: true }).filter(isSource).sort();
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
