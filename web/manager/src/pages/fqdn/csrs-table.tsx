import type { Csr } from '@certloop/contracts/browser';
import { type Column, CopyText, DataTable, exactTime } from '@certloop/web-kit';
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

/** The CSRs of a name, the newest first. */
export function CsrsTable({ csrs }: { readonly csrs: readonly Csr[] }) {
  if (csrs.length === 0) return <p className="cl-dim">No CSR is stored yet.</p>;
  return <DataTable label="CSRs" columns={columns} rows={csrs.toReversed()} rowKey={({ id }) => id} />;
}
