import { Argument, type Command } from '@commander-js/extra-typings';
import { openSession, type Session } from '../../connection/session.js';
import type { Io } from '../../io.js';
import { plainText } from '../../output/table.js';
import { readBashLine } from './bash-line.js';
import { valuesOf } from './known-names.js';
import { type Candidate, readPlace } from './place.js';
import { scripts } from './scripts.js';

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

/** Adds `completion`, and the hidden command that the scripts call. */
export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('Print the script that completes commands in a shell: source <(certloop completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell) => void io.out.write(scripts[shell]));
  program
    .command('complete-words', { hidden: true })
    .description('Print what the last of the words can be completed to')
    .option('--line <line>', 'the line of bash up to the cursor; then the word is what bash replaces')
    .argument('[words...]')
    .action(async (words, { line }) => {
      if (line === undefined) {
        const found = await complete(program, io, words);
        const shown = ({ value, about }: Candidate) => (about ? `${value}\t${plainText(about)}` : value);
        return void io.out.write(found.map((each) => `${shown(each)}\n`).join(''));
      }
      const { words: typed, replyFor } = readBashLine(line, words[0] ?? '');
      const found = await complete(program, io, typed.slice(1));
      io.out.write(found.map(({ value }) => `${replyFor(value)}\n`).join(''));
    });
}

// a key that completes must not keep the prompt longer
const maxWaitMs = 2_000;

/**
 * Returns what the last word can be, sorted; nothing rather than an error, and nothing from services that answer too
 * late.
 */
async function complete(program: Command, io: Io, words: readonly string[]): Promise<Candidate[]> {
  const place = readPlace(program, words);
  const session = openQuietly(io, place.options.get('--context'));
  const values = place.expected === undefined ? [] : await valuesOf(session, place).catch(() => []);
  const found = new Map<string, Candidate>();
  for (const each of [...place.fixed, ...values]) {
    // a line break or a control character in a name would be another line or do harm
    if (each.value.startsWith(place.typed) && plainText(each.value) === each.value)
      found.set(each.value, { ...each, value: `${place.prefix}${each.value}` });
  }
  return [...found.keys()].sort().flatMap((value) => found.get(value) ?? []);
}

/** A session that writes nothing, asks nothing and ends soon. */
function openQuietly(io: Io, context: string | undefined): Session {
  const askNothing = () => Promise.reject(new Error('a completion asks for nothing'));
  return openSession(
    { ...io, askSecret: askNothing, ask: askNothing, readText: askNothing },
    {
      format: { kind: 'table' },
      isQuiet: true,
      isVerbose: false,
      unchanged: () => undefined,
      context,
      deadline: io.deadline(maxWaitMs),
    },
  );
}
