import type { Csr } from '@certloop/contracts/browser';
import { type Column, CopyText, countOf, DataTable, exactTime } from '@certloop/web-kit';
import { namesOf } from '../../csrs/csr-facts.js';

const columns: readonly Column<Csr>[] = [
  { key: 'stored', title: 'Stored', width: '15rem', cell: ({ createdAt }) => exactTime(createdAt) },
  {
    key: 'key',
    title: 'Key',
    width: '10rem',
    cell: ({ publicKeyAlgorithm, keySize }) => `${publicKeyAlgorithm}, ${keySize} bits`,
  },
  { key: 'names', title: 'Names', cell: (csr) => namesOf(csr).join(', ') },
  { key: 'copy', title: '', width: '7rem', cell: ({ csrPem }) => <CopyText text={csrPem} /> },
];

/** The CSRs before the newest one, the newest of them first; nothing without any. */
export function EarlierCsrs({ csrs }: { readonly csrs: readonly Csr[] }) {
  const earlier = csrs.slice(0, -1).toReversed();
  if (earlier.length === 0) return null;
  return (
    <details>
      <summary>{countOf(earlier.length, 'earlier CSR')}</summary>
      <DataTable label="Earlier CSRs" columns={columns} rows={earlier} rowKey={({ id }) => id} />
    </details>
  );
}
