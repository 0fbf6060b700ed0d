import type { Argument, CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';

/** A command as its pages describe it. */
export interface Described {
  /** With the words before it, such as `spaces create`. */
  readonly name: string;
  readonly command: Command;
  readonly isDefault: boolean;
}

/** The commands right below one that help lists. */
export function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help' && command.commands.includes(each));
}

/** All that do something themselves, at and below a command. */
export function leavesOf(command: Command, path = command.name()): Described[] {
  const below = visibleCommands(command);
  if (below.length === 0) return [{ name: path, command, isDefault: false }];
  return below.flatMap((each) =>
    leavesOf(each, `${path} ${each.name()}`).map((leaf) =>
      leaf.command === each ? { ...leaf, isDefault: defaultCommandOf(command) === each } : leaf,
    ),
  );
}

/** The command that runs where only its noun is given. */
export function defaultCommandOf(noun: Command): Command | undefined {
  // commander keeps the name to itself
  const { _defaultCommandName: name } = noun as unknown as { _defaultCommandName?: string | null };
  return noun.commands.find((each) => each.name() === name);
}

/** Other names of a command, with the words before them; `name` as in `fqdns add`. */
export function aliasesOf(name: string, command: Command): string[] {
  const before = name.split(' ').slice(0, -1);
  return command.aliases().map((alias) => [...before, alias].join(' '));
}

/** `<fqdn> [host]` of a command, and `[options]` where it has some. */
export function usageOf(command: Command): string {
  const given = command.usage();
  return visibleOptions(command).length === 0 ? given.replace('[options]', '').trim() : given;
}

/** Options that help shows, without the one for help. */
export function visibleOptions(command: Command): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

/** The sentence of an option with its choices and its default. */
export function optionText(command: Command, option: Option): string {
  return command.createHelp().optionDescription(option);
}

/** The sentence of an argument with its choices; '' for one that has none. */
export function argumentText(command: Command, argument: Argument): string {
  return command.createHelp().argumentDescription(argument);
}
