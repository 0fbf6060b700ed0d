import { readFileSync } from 'node:fs';

const page = new URL('../../../../../../docs/importing-from-disk.md', import.meta.url);

/** The commands in the table of the page on imports, each with its tool and its path. */
export function readPageCommands(): {
  readonly line: string;
  readonly tool: string;
  readonly path: string;
}[] {
  const found = readFileSync(page, 'utf8').matchAll(/^\| [^|]+ \| `(certloop import (\S+) (\S+) .+?)` \|/gm);
  return [...found].map(([, line = '', tool = '', path = '']) => ({ line, tool, path }));
}
