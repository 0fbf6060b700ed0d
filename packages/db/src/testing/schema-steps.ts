import { createHash } from 'node:crypto';
import type { Schema } from '../database.js';

/** Digest of a schema's migrations, in hexadecimal: a database that was migrated by the same ones can be copied. */
export function stepsOf({ migrations }: Schema): string {
  const steps = migrations.map(({ name, up }) => `${name} ${up.toString()}`).join('\n');
  return createHash('sha256').update(steps).digest('hex').slice(0, 12);
}
