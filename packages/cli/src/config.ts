/** The environment that the process was started with; run.ts lists what is read of it. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
