import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as browser from './browser.js';
import * as contracts from './index.js';

/** Every module that one file of the built package reaches at run time, itself included. */
function reachedFrom(file: URL, reached = new Map<string, string[]>()): Map<string, string[]> {
  if (reached.has(file.href)) return reached;
  const code = readFileSync(file, 'utf8');
  const imported = [...code.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s*'([^']+)';/gm)].map(
    ([, name = '']) => name,
  );
  reached.set(file.href, imported);
  for (const name of imported) if (name.startsWith('.')) reachedFrom(new URL(name, file), reached);
  return reached;
}

const foreignImportsOf = (file: string) =>
  [...reachedFrom(new URL(file, import.meta.url)).values()].flat().filter((name) => !name.startsWith('.'));

test('imports no module from outside this package, so no zod', () => {
  expect(foreignImportsOf('./browser.js')).toEqual([]);
  // the same search finds it in the whole package
  expect(foreignImportsOf('./index.js')).toContain('zod');
});

test('exports the same values as the whole package', () => {
  const whole: Readonly<Record<string, unknown>> = contracts;
  expect(Object.keys(browser)).toContain('createClient');
  for (const [name, value] of Object.entries(browser)) expect([name, value]).toEqual([name, whole[name]]);
});
