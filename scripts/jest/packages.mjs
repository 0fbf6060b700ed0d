import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folders of every app, package and web interface. */
export const packageFolders = ['apps', 'packages', 'web'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `${folder}/${entry.name}`);
});
