import { runCommandLine } from '@certloop/check-monitor/dist/src/command-line.js';

/** What check-monitor's own command line prints, run in this process. Throws what it complains of. */
export async function monitorCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const said = { out: '', err: '' };
  const code = await runCommandLine(args, {
    environment,
    print: (text) => {
      said.out += text;
    },
    complain: (text) => {
      said.err += text;
    },
    readInput: () => input,
  });
  if (code !== 0) throw new Error(said.err);
  return said.out;
}
