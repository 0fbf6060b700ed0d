import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openDatabase, type Schema } from '../database.js';
import { stepsOf } from './schema-steps.js';
import { scratchFolder } from './scratch.js';

/** A new file, empty or a copy of the one that `schema` was migrated in. */
export async function createSqliteTestFile(schema: Schema | undefined): Promise<string> {
  const file = join(scratchFolder('sqlite'), 'test.sqlite');
  if (schema !== undefined) writeFileSync(file, await templateOf(schema));
  return file;
}

export function dropSqliteFile(file: string): Promise<void> {
  return rm(dirname(file), { recursive: true, force: true });
}

const templates = new Map<string, Promise<Buffer>>();

/** Returns the content of a file in which `schema` has been migrated, once for a process. */
function templateOf(schema: Schema): Promise<Buffer> {
  const steps = stepsOf(schema);
  const known = templates.get(steps) ?? migrateInFile(schema);
  templates.set(steps, known);
  return known;
}

async function migrateInFile(schema: Schema): Promise<Buffer> {
  const file = join(scratchFolder('sqlite'), 'template.sqlite');
  try {
    const database = await openDatabase({ url: `sqlite:${file}`, schema });
    await database.migrate().finally(() => database.close());
    return readFileSync(file);
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}
