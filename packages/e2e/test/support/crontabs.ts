interface CrontabLine {
  /** Variables that the crontab sets before the line. */
  readonly settings: Readonly<Record<string, string>>;
  readonly command: string;
}

/** The commands of a page's blocks that are crontabs, as crontab(5) reads them. */
export function readCrontabs(page: string): CrontabLine[] {
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, language]) => language === '');
  return blocks.flatMap(([, , block = '']) => {
    const settings = [...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    const commands = [...block.matchAll(/^(?:[\d*,/-]+ ){5}(.*)$/gm)];
    return commands.map(([, command = '']) => {
      // cron would end the command there, and pass the rest as standard input
      if (command.includes('%')) throw new Error(`a % in a crontab: ${command}`);
      return { settings: Object.fromEntries(settings), command };
    });
  });
}
