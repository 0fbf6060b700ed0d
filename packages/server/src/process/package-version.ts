import { existsSync, readFileSync } from 'node:fs';

/** Version of the package that the module belongs to, as CHANGELOG.md names it; `moduleUrl` is its `import.meta.url`. */
export function packageVersion(moduleUrl: string): string {
  let file = new URL('package.json', moduleUrl);
  while (!existsSync(file)) file = new URL('../../package.json', file);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
