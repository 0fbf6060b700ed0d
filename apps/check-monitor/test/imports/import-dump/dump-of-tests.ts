import { fileURLToPath } from 'node:url';
import { importDump } from '../../../src/imports/import-dump.service.js';
import type { ImportReport } from '../../../src/imports/import-report.js';
import type { TestApp } from '../../support/app.js';

// Written by dumpdata of Django 5.2 over the models of Healthchecks at 29b5ec25, with SECRET_KEY "the former secret".
export const file = fileURLToPath(new URL('../../../../test/data/healthchecks/dump.json', import.meta.url));
export const formerSecret = 'the former secret';
export const uuid = (end: string) => `00000000-0000-4000-8000-${end.padStart(12, '0')}`;
export const keys = {
  hashed: { write: 'hcw_oxkuiGdUi8zDsOv3p2qu4LEqkpaw', read: 'hcr_LHxCtYN3rh8jZT8Xb4Q5JpkThu69' },
  plain: { write: 'Pl41nReadWriteKeyOf32Characters1', read: 'Pl41nReadOnlyKeyOf32Characters_2' },
};
export const choices = { isDryRun: false, skipsFaulty: false };

/** What of an import a test chooses itself. */
export type ImportChanges = Partial<Parameters<typeof importDump>[1]>;

/** Imports the dump with the former secret. */
export function runImport(app: TestApp, changes: ImportChanges = {}): Promise<ImportReport> {
  return importDump({ ...app.accounts, formerSecret }, { file, ...choices, ...changes });
}

/** The body that the API returns for a path. */
export function readApi(app: TestApp, path: string, key: string) {
  return app.http.get(`/api/v3${path}`).set('X-Api-Key', key);
}

/** A check by the end of its uuid. */
export async function readCheck(app: TestApp, end: string, key = keys.hashed.write) {
  return (await readApi(app, `/checks/${uuid(end)}`, key)).body;
}
