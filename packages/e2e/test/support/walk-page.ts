/** A section of a page with the commands of its sh blocks, one a line. */
export interface WalkStep {
  readonly title: string;
  readonly commands: readonly string[];
  /** Number that the table at the top of the page states. */
  readonly stated: number;
}

/** The sections of a page that its table counts. */
export function readWalk(page: string): WalkStep[] {
  const rows = [...page.matchAll(/^\| \[(.+)\]\(#.*\) \| (\d+) \|/gm)];
  const stated = new Map(rows.map(([, title = '', count]) => [title, Number(count)]));
  return page
    .split(/^## /m)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const blocks = [...lines.join('\n').matchAll(/^```sh\n([\s\S]*?)^```/gm)];
      const commands = blocks.flatMap(([, block = '']) => block.trimEnd().split('\n'));
      return { title, commands, stated: stated.get(title) };
    })
    .flatMap(({ stated: count, ...step }) => (count === undefined ? [] : [{ ...step, stated: count }]));
}

/** The words of a command line as a shell reads them, but for variables and patterns. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
}
