import type { Argument, CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { defaultCommandOf, visibleCommands, visibleOptions } from '../../reference/describe.js';

/** Candidate for the completion of a word, with what a shell may show beside it. */
export interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** Where an unfinished command line stands. */
export interface Place {
  readonly command: Command;
  /** Arguments of the command before the last word. */
  readonly given: readonly string[];
  /** Values of the options before the last word, by their long names. */
  readonly options: ReadonlyMap<string, string>;
  /** Text of the last word that each completion repeats, such as `--space=`. */
  readonly prefix: string;
  /** The rest of the last word. */
  readonly typed: string;
  /** Whose value comes next; undefined for words that are not values. */
  readonly expected: Option | Argument | undefined;
  /** Commands and options that may come next. */
  readonly fixed: readonly Candidate[];
}

/** Reads the words after `certloop`, the last of which is unfinished. */
export function readPlace(program: Command, words: readonly string[]): Place {
  const walked = walk(program, words.slice(0, -1));
  const { command, given, options, isRest } = walked;
  const last = words.at(-1) ?? '';
  const at = (place: Partial<Place>): Place => ({
    command,
    given,
    options,
    prefix: '',
    typed: last,
    expected: undefined,
    fixed: [],
    ...place,
  });
  if (walked.option !== undefined) return at({ expected: walked.option });
  if (isRest) return at({});
  const [, name, value] = /^(--[a-z-]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined && value !== undefined)
    return at({ prefix: `${name}=`, typed: value, expected: optionOf(program, command, name) });
  if (last.startsWith('-')) return at({ fixed: optionsOf(program, command) });
  const isNoun = given.length === 0 && command.commands.length > 0;
  const verbs = isNoun ? visibleCommands(command) : [];
  const fixed = verbs.map((each) => ({ value: each.name(), about: each.description() }));
  const isVerb = fixed.some((each) => each.value.startsWith(last));
  return at({ fixed, expected: isVerb ? undefined : argumentAt(actingOf(command), given.length) });
}

interface Walked {
  readonly command: Command;
  readonly given: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  /** Whether all that follows belongs to another command, as after `--`. */
  readonly isRest: boolean;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let option: Option | undefined;
  const given: string[] = [];
  const options = new Map<string, string>();
  for (const word of words) {
    if (option !== undefined) {
      options.set(option.long ?? '', word);
      option = undefined;
    } else if (word === '--') {
      return { command, given, options, option, isRest: true };
    } else if (word.startsWith('-')) {
      const [name = '', value] = word.split(/=(.*)/s, 2);
      const known = optionOf(program, command, name);
      if (value !== undefined) options.set(name, value);
      else if (known?.required === true) option = known;
    } else {
      const next = given.length === 0 ? commandOf(command, word) : undefined;
      if (next === undefined) given.push(word);
      else command = next;
    }
  }
  return { command, given, options, option, isRest: false };
}

function commandOf(parent: Command, word: string): Command | undefined {
  return parent.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
}

/** The command that runs where only its noun is given, else the command. */
function actingOf(command: Command): Command {
  return defaultCommandOf(command) ?? command;
}

function optionOf(program: Command, command: Command, name: string): Option | undefined {
  return [...actingOf(command).options, ...program.options].find(
    ({ short, long }) => short === name || long === name,
  );
}

function optionsOf(program: Command, command: Command): Candidate[] {
  const own = visibleOptions(actingOf(command));
  const ofAll = program === command ? [] : visibleOptions(program);
  return [...own, ...ofAll].flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ value: long, about: description }],
  );
}

function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  return registeredArguments[position] ?? registeredArguments.findLast(({ variadic }) => variadic);
}
