import { UsageError } from './faults/command-errors.js';
import { describeFault } from './faults/system-fault.js';
import type { Io } from './io.js';

/** The JSON object in the file of an option. Throws UsageError without the text of the file, which may hold secrets. */
export async function readJsonObject(
  { readText }: Io,
  file: string,
  option: string,
): Promise<Record<string, unknown>> {
  const text = await readText(file).catch((error: unknown) => {
    throw new UsageError(`${option}: ${describeFault(error, file)}`);
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(`${option}: ${file} is not a JSON object`);
}
