import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of every app, package and web interface. */
export const packageFolders = ['apps', 'packages', 'web'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
});
