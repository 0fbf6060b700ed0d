import { Argument, type Command, Option } from 'commander';
import type { Session } from '../connection/session.js';
import { listFqdnsIn } from '../lookup.js';

const scripts = {
  bash: `_certloop() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$(printf '%q' "$found")")
  done < <(certloop complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _certloop certloop
`,
  zsh: `#compdef certloop
_certloop() {
  local -a found
  found=("\${(@f)$(certloop complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found
}
compdef _certloop certloop
`,
  fish: `complete -c certloop -f -a '(certloop complete-words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const;

/** Adds `completion`, and the hidden command that the scripts call. */
export function addCompletion(program: Command, open: () => Session): void {
  program
    .command('completion')
    .description('Print the script that completes command lines: source <(certloop completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => void open().io.out.write(scripts[shell]));
  program
    .command('complete-words', { hidden: true })
    .description('Print what the last of the words can be completed to')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const session = open();
      // a key that completes prints nothing rather than an error
      const found = await completions(program, session, words).catch(() => []);
      session.io.out.write(found.map((each) => `${each}\n`).join(''));
    });
}

/** What the last word can be: commands, options, choices, and names that the services know. */
async function completions(program: Command, session: Session, words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const { command, option, position } = placeOf(program, words.slice(0, -1));
  const startsSo = (names: readonly string[]) =>
    [...new Set(names)].filter((name) => name.startsWith(last)).sort();
  if (option !== undefined) return startsSo(await valuesOf(session, option));
  if (last.startsWith('-')) {
    const options = [...command.options, ...program.options].filter(({ hidden }) => !hidden);
    return startsSo(options.flatMap(({ long }) => long ?? []));
  }
  const { registeredArguments } = command;
  const argument = registeredArguments[position] ?? registeredArguments.findLast(({ variadic }) => variadic);
  const commands = command.createHelp().visibleCommands(command);
  const names = position === 0 ? commands.map((each) => each.name()) : [];
  return startsSo([...names, ...(argument === undefined ? [] : await valuesOf(session, argument))]);
}

/** The command that the words lead to, the option whose value comes next, and how many arguments stand already. */
function placeOf(program: Command, words: readonly string[]) {
  let command = program;
  let position = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
    } else if (word.startsWith('-')) {
      const known = [...command.options, ...program.options].find(
        ({ short, long }) => short === word || long === word,
      );
      option = known?.required === true ? known : undefined;
    } else {
      const next =
        position === 0
          ? command.commands.find((each) => [each.name(), ...each.aliases()].includes(word))
          : undefined;
      if (next === undefined) position += 1;
      else command = next;
    }
  }
  return { command, option, position };
}

/** Choices, or the names of what the value is called: a space, an FQDN, a provider and so on. */
async function valuesOf(session: Session, value: Option | Argument): Promise<readonly string[]> {
  if (value.argChoices !== undefined) return value.argChoices;
  const kind = value instanceof Option ? /[<[]([a-z]+)/.exec(value.flags)?.[1] : value.name();
  return (await listNames[kind ?? '']?.(session)) ?? [];
}

const listNames: Readonly<Record<string, (session: Session) => Promise<string[]>>> = {
  space: async ({ manager }) => (await (await manager()).listSpaces()).body.map(({ name }) => name),
  fqdn: async ({ manager }) => (await listFqdnsIn(await manager(), undefined)).map(({ fqdn }) => fqdn),
  provider: async ({ manager }) => (await (await manager()).listProviders()).body.map(({ name }) => name),
  user: async ({ manager }) => (await (await manager()).listUsers()).body.map(({ username }) => username),
  group: async ({ manager }) => (await (await manager()).listPermissionGroups()).body.map(({ name }) => name),
  check: async ({ monitor }) => (await (await monitor()).listChecks()).body.checks.map(({ name }) => name),
  integration: async ({ monitor }) =>
    (await (await monitor()).listChannels()).body.channels.map(({ name }) => name),
};
