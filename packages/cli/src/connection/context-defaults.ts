import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import type { Context } from './contexts.js';

/** Value of `--space` for all spaces, where the context has a default. */
const allSpaces = '*';

const names = ['space', 'project'] as const;

/**
 * Gives every `--space` and `--project` that takes one value the default of the context where it is omitted, except in
 * commands that write contexts. Sets of spaces, as of groups and tokens, have no default: there, what is omitted stays,
 * or is not limited.
 */
export function addContextDefaults(
  program: Command,
  defaultsOf: () => Promise<Pick<Context, 'space' | 'project'>>,
): void {
  for (const parent of withSubcommands(program)) {
    if (parent.name() === 'contexts') continue;
    parent.hook('preSubcommand', async (_parent, command) => {
      const found = command.name() === 'login' ? [] : names.filter((name) => optionOf(command, name));
      if (found.length === 0) return;
      const defaults = await defaultsOf().catch((error: unknown) => {
        // a command that needs the connection reports the error itself
        if (found.some((name) => optionOf(command, name)?.mandatory)) throw error;
        return {} as Partial<Context>;
      });
      for (const name of found) {
        const value = defaults[name];
        if (value !== undefined) command.setOptionValueWithSource(name, value, 'config');
      }
    });
  }
  program.hook('preAction', (_program, command) => {
    const isOptional = optionOf(command, 'space')?.mandatory === false;
    if (isOptional && command.opts()['space'] === allSpaces) command.setOptionValue('space', undefined);
  });
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find((option) => option.attributeName() === name && !option.variadic);
}

function withSubcommands(command: Command): Command[] {
  const own = command.commands.length === 0 ? [] : [command];
  return [...own, ...command.commands.flatMap(withSubcommands)];
}
