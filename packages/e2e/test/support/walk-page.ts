/** A section of a page with the commands of its sh blocks, one a line. */
export interface WalkStep {
  readonly title: string;
  readonly commands: readonly string[];
  /** Number that the table at the top of the page states. */
  readonly stated: number;
}

/** The commands before the first step, which none counts. */
export function readPreparation(page: string): string[] {
  return commandsOf(page.split(/^## /m).find((section) => section.startsWith('Before you start\n')) ?? '');
}

/** The sections of a page with their commands. */
export function readSteps(page: string): Omit<WalkStep, 'stated'>[] {
  const [, ...sections] = page.split(/^## /m);
  return sections.map((section) => {
    const [title = ''] = section.split('\n', 1);
    return { title, commands: commandsOf(section) };
  });
}

/** The sections of a page that its table counts. */
export function readWalk(page: string): WalkStep[] {
  const rows = [...page.matchAll(/^\| \[(.+)\]\(#.*\) \| (\d+) \|/gm)];
  const stated = new Map(rows.map(([, title = '', count]) => [title, Number(count)]));
  return readSteps(page).flatMap((step) => {
    const count = stated.get(step.title);
    return count === undefined ? [] : [{ ...step, stated: count }];
  });
}

/** The lines of the sh blocks of a section. */
function commandsOf(section: string): string[] {
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, block = '']) => block.trimEnd().split('\n'));
}

/** The words of a command line as a shell reads them, but for variables and patterns. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
}
