import type { Csr } from '@certloop/contracts/browser';
import { type Column, CopyText, exactTime, ListTable, type useList } from '@certloop/web-kit';
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
export function CsrsTable({ csrs }: { readonly csrs: ReturnType<typeof useList<Csr>> }) {
  return (
    <ListTable
      list={csrs}
      label="CSRs"
      columns={columns}
      rowKey={({ id }) => id}
      noun="CSR"
      empty={<p className="cl-dim">No CSR is stored yet.</p>}
    />
  );
}
