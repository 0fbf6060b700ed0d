/**
 * Makes a command line survive output that cannot be written. A reader that stops early, such as `head`, has read enough.
 * Any other failure, such as a full disk, is a line on standard error and exit code 1.
 */
export function guardOutput(program: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`${program}: standard output cannot be written: ${error.message}\n`);
    process.exitCode ||= 1;
  });
  // if standard error cannot be written either, nothing can report it
  process.stderr.on('error', () => undefined);
}
