import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Io } from './io.js';
import { joinHookWords } from './machine/hook-words.js';
import { fixText } from './output/finding-text.js';
import { isFaultOfOurs, type Refusal, refusalOf } from './output/refusal.js';
import { createProgram, oneLine, wantsJsonErrors } from './program.js';

/** Runs one command line; resolves to the exit code, having written to standard error what went wrong. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(args, io, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(withHooks(program, args), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // the sentence has been written where people read
      if (wantsJsonErrors(args))
        writeRefusal(io, { exitCode: 2, code: 'usage', message: oneLine(error.message) });
      return 2;
    }
    const refusal = refusalOf(error, args.includes('login'));
    if (wantsJsonErrors(args)) writeRefusal(io, refusal);
    else io.err.write(`certloop: ${refusal.message}\n${fixText(refusal.fix) ?? ''}`);
    if (isFaultOfOurs(error) && program.opts()['verbose'] === true)
      io.err.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return refusal.exitCode;
  }
}

/** Command lines of `pull` and `deploy-hook` with each hook in one word; others as they are. */
function withHooks(program: CommandUnknownOpts, args: readonly string[]): string[] {
  const named = new Set(['pull', 'deploy-hook'].filter((name) => args.includes(name)));
  const command = program.commands.find((each) => named.has(each.name()));
  if (command === undefined) return [...args];
  const known = new Set([...program.options, ...command.options].map(({ long }) => long));
  return joinHookWords(args, (word) => word === '--help' || known.has(word));
}

function writeRefusal({ err }: Io, refusal: Refusal): void {
  err.write(`${JSON.stringify({ error: refusal })}\n`);
}
