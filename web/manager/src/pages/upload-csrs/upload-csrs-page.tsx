import { countOf, countText, csrBlocks, Fault, Icon, sentenceOf, useTitle } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { csrUpload, readCsrFile } from '../../csrs/csr-file.js';
import { DropZone } from '../../csrs/drop-zone.js';
import { spacesResource } from '../../resources.js';
import { useRowWork } from '../../row-work.js';
import { api } from '../../service.js';
import { CsrTable } from './csr-table.js';
import { type CsrRow, type JudgedCsr, judgeCsr } from './judge-csr.js';
import { judgedRows, judgingKey } from './shown-rows.js';

/** Stores many CSRs: finds the name that each is for, shows what the service says of it, and stores those that it accepts. */
export function UploadCsrsPage() {
  useTitle('Upload CSRs', 'manager');
  const { rows, refused, judging, storing, add, choose, leaveOut } = useCsrRows();
  const shown = judgedRows(rows, judging.states);
  const ready = shown.filter(({ isReady, row }) => isReady && !storing.states.has(row.key));
  const unjudged = rows.filter((row) => !judging.states.has(judgingKey(row)));
  const stored = [...storing.states.values()].filter(({ status }) => status === 'done').length;
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/fqdns">Names</Link>
      </nav>
      <h1>Upload CSRs</h1>
      <ChooseFiles add={(files) => void add(files)} />
      {refused.map((fault) => (
        <Fault key={fault}>{fault}</Fault>
      ))}
      {rows.length > 0 && (
        <section className="cl-stack" aria-label="Result">
          <p role="status">{resultOf(stored, ready.length, rows.length)}</p>
          {(judging.stop ?? storing.stop) !== undefined && (
            <p className="cl-strip" role="alert">
              {judging.stop ?? storing.stop} Nothing is lost: go on when the service answers again.
            </p>
          )}
          <div className="cl-row">
            {unjudged.length > 0 && !judging.isRunning && (
              <Button variant="default" onClick={() => judging.run(unjudged)}>
                Check {countOf(unjudged.length, 'CSR')} again
              </Button>
            )}
            <Button
              loading={storing.isRunning}
              disabled={ready.length === 0 || judging.isRunning}
              onClick={() => storing.run(ready.map(({ row }) => row))}
            >
              {storing.stop === undefined ? 'Store' : 'Go on with'} {countOf(ready.length, 'CSR')}
            </Button>
          </div>
          <CsrTable rows={shown} stored={storing.states} choose={choose} leaveOut={leaveOut} />
        </section>
      )}
    </>
  );
}

/** The CSRs of the chosen files, what the service says of each, and which of them are stored. */
function useCsrRows() {
  const [rows, setRows] = useState<readonly CsrRow[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const judging = useRowWork<CsrRow, JudgedCsr>(judgingKey, judgeCsr, []);
  const storing = useRowWork<CsrRow, string>(
    ({ key }) => key,
    async (row) => {
      const state = judging.states.get(judgingKey(row));
      const fqdn = state?.status === 'done' ? state.result.fqdn : undefined;
      if (fqdn === undefined) throw new Error('Choose the name first.');
      const { body } = await api.uploadCsr(csrUpload(fqdn, row.file));
      return 'id' in body ? body.id : '';
    },
    [spacesResource],
  );
  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.map(rowsOf));
    const added = read.flatMap((one) => ('rows' in one ? one.rows : []));
    setRefused(read.flatMap((one) => ('fault' in one ? [one.fault] : [])));
    setRows((before) => [...before, ...added]);
    judging.run(added);
  };
  const choose = (row: CsrRow, fqdnId: string) => {
    const chosen = { ...row, fqdnId };
    setRows((before) => before.map((one) => (one.key === row.key ? chosen : one)));
    judging.run([chosen]);
  };
  const leaveOut = ({ key }: CsrRow) => setRows((before) => before.filter((one) => one.key !== key));
  return { rows, refused, judging, storing, add, choose, leaveOut };
}

/** How many CSRs are stored, and how many can be. */
function resultOf(stored: number, ready: number, all: number): string {
  return [
    stored > 0 ? `${countOf(stored, 'CSR is', 'CSRs are')} stored.` : '',
    ready > 0 || stored === 0 ? `${countOf(ready, 'CSR')} of ${countText(all)} can be stored.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The CSRs of a file, or why there is none. */
async function rowsOf(
  file: File,
): Promise<{ readonly rows: readonly CsrRow[] } | { readonly fault: string }> {
  try {
    const whole = await readCsrFile(file);
    const blocks = csrBlocks(new TextDecoder().decode(whole.bytes));
    if (blocks.length === 0) return { fault: `“${file.name}”: There is no CSR in PEM in this file.` };
    return {
      rows: blocks.map((pem, place) => ({
        key: crypto.randomUUID(),
        title: blocks.length === 1 ? file.name : `${file.name}, CSR ${place + 1}`,
        file: { ...whole, bytes: new TextEncoder().encode(pem) },
        pem,
      })),
    };
  } catch (error) {
    return { fault: `“${file.name}”: ${sentenceOf(error)}` };
  }
}

function ChooseFiles({ add }: { readonly add: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <DropZone label="CSR files" drop={add}>
      <p>
        Each CSR goes to the name that it asks for. You see what the service says of it before it is stored.
      </p>
      <div className="cl-row">
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="CSR files"
          onChange={({ currentTarget }) => {
            add([...(currentTarget.files ?? [])]);
            // the same files may be chosen again after they were mended
            currentTarget.value = '';
          }}
        />
        <Button variant="default" leftSection={<Icon name="upload" />} onClick={() => input.current?.click()}>
          Choose CSR files
        </Button>
        <span className="cl-dim">or drop the files here</span>
      </div>
    </DropZone>
  );
}
