import { InvalidArgumentError } from '@commander-js/extra-typings';

/** A program with its arguments; no shell reads them. */
export type Hook = readonly string[];

const hookOptions: ReadonlySet<string> = new Set(['--test', '--reload']);

/**
 * Joins the words of a hook into one word of JSON, as the parser of options ends a value at the next word with a dash:
 * `--reload nginx -s reload --once` becomes `--reload ["nginx","-s","reload"] --once`. A hook ends at the next long option
 * of the command, `isOption`, or at `--`; one that is given as JSON stays.
 */
export function joinHookWords(args: readonly string[], isOption: (word: string) => boolean): string[] {
  const joined: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    joined.push(word);
    if (word === '--') return [...joined, ...rest];
    if (!hookOptions.has(word)) continue;
    const end = rest.findIndex((one) => one === '--' || (one.startsWith('--') && isOption(nameOf(one))));
    const words = rest.splice(0, end === -1 ? rest.length : end);
    if (words.length === 1 && words[0]?.startsWith('[')) joined.push(...words);
    else if (words.length > 0) joined.push(JSON.stringify(words));
  }
  return joined;
}

const nameOf = (word: string): string => word.split('=', 1)[0] ?? word;

/** Reader of a hook for an option; throws commander's own error for anything but a list of words as JSON. */
export function parseHook(text: string): Hook {
  const words = text.startsWith('[') ? listOf(text) : [text];
  const [program = ''] = words;
  if (program === '') throw new InvalidArgumentError('It is a program with its arguments.');
  if (words.length === 1 && /\s/.test(program))
    throw new InvalidArgumentError(
      'No shell reads it: write the words of the command without quotes around all of them, or as JSON, such as ["nginx","-t"].',
    );
  return words;
}

function listOf(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InvalidArgumentError('It is not a list of words as JSON, such as ["nginx","-t"].');
}
