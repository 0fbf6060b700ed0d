/** The environment of the process; run.ts lists what is read of it. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;
