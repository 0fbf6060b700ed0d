import { type Column, DataTable, StateChip, wholeSentence } from '@certloop/web-kit';
import { Button, NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Findings, needsAttention, Repair } from '../../csrs/findings.js';
import type { RowState } from '../../row-work.js';
import { type CsrRow, remarksOn } from './judge-csr.js';
import type { ShownRow } from './shown-rows.js';

interface CsrTableProps {
  readonly rows: readonly ShownRow[];
  /** Results of those that were stored, by their keys. */
  readonly stored: ReadonlyMap<string, RowState<string>>;
  readonly choose: (row: CsrRow, fqdnId: string) => void;
  readonly leaveOut: (row: CsrRow) => void;
}

/** Each CSR with the name it is for, what the service says of it, and how far it is. */
export function CsrTable({ rows, stored, choose, leaveOut }: CsrTableProps) {
  const columns: readonly Column<ShownRow>[] = [
    { key: 'file', title: 'File', width: '12rem', cell: ({ row }) => <bdi>{row.title}</bdi> },
    {
      key: 'name',
      title: 'Name and space',
      width: '18rem',
      cell: (shown) => <Target shown={shown} isSent={stored.has(shown.row.key)} choose={choose} />,
    },
    {
      key: 'key',
      title: 'Key',
      width: '10rem',
      cell: ({ judged }) =>
        judged?.review && `${judged.review.publicKeyAlgorithm}, ${judged.review.keySize} bits`,
    },
    {
      key: 'remarks',
      title: 'What to know',
      cell: (shown) => <Remarks shown={shown} state={stored.get(shown.row.key)} />,
    },
    {
      key: 'state',
      title: 'State',
      width: '9rem',
      cell: (shown) => <State shown={shown} state={stored.get(shown.row.key)} />,
    },
    {
      key: 'out',
      title: '',
      width: '8rem',
      cell: ({ row }) =>
        !stored.has(row.key) && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Leave out: ${row.title}`}
            onClick={() => leaveOut(row)}
          >
            Leave out
          </Button>
        ),
    },
  ];
  return <DataTable label="CSRs" columns={columns} rows={rows} rowKey={({ row }) => row.key} />;
}

function Target({
  shown: { row, judged },
  isSent,
  choose,
}: {
  readonly shown: ShownRow;
  readonly isSent: boolean;
  readonly choose: CsrTableProps['choose'];
}) {
  if (judged === undefined) return null;
  const { candidates, fqdn } = judged;
  if (candidates.length > 1 && !isSent) {
    return (
      <NativeSelect
        aria-label={`Space of the name: ${row.title}`}
        value={fqdn?.id ?? ''}
        data={[
          { value: '', label: 'Choose the space', disabled: true },
          ...candidates.map(({ id, fqdn: name, spaceName }) => ({
            value: id,
            label: `${name} in ${spaceName ?? 'a space'}`,
          })),
        ]}
        onChange={({ currentTarget: { value } }) => choose(row, value)}
      />
    );
  }
  if (fqdn === undefined) return null;
  const { id: fqdnId, spaceId, fqdn: name, spaceName } = fqdn;
  return (
    <>
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
        {name}
      </Link>{' '}
      <span className="cl-dim">in {spaceName}</span>
    </>
  );
}

function Remarks({
  shown: { judged, fault, fix: faultFix },
  state,
}: {
  readonly shown: ShownRow;
  readonly state: RowState<string> | undefined;
}) {
  const refusal = state?.status === 'refused' ? state.message : fault;
  const fix = state?.status === 'refused' ? state.fix : faultFix;
  const remarks = [
    ...(refusal === undefined ? [] : [refusal]),
    ...(judged?.review === undefined ? [] : remarksOn(judged.review)),
  ];
  return (
    <>
      {remarks.length > 0 && (
        <ul className="cl-list">
          {remarks.map((remark) => (
            <li key={remark}>{wholeSentence(remark)}</li>
          ))}
        </ul>
      )}
      <Findings findings={judged?.review?.findings ?? []} />
      {fix !== undefined && <Repair fixes={[fix]} />}
    </>
  );
}

function State({
  shown: { judged, fault, isJudging, isReady },
  state,
}: {
  readonly shown: ShownRow;
  readonly state: RowState<string> | undefined;
}) {
  if (state?.status === 'done') {
    return <StateChip tone="ok" shape="check" word="stored" />;
  }
  if (isJudging || state?.status === 'running') {
    return <StateChip tone="active" shape="turning" word={isJudging ? 'checking' : 'storing'} />;
  }
  if (fault !== undefined || state?.status === 'refused') {
    return <StateChip tone="bad" shape="octagon" word="refused" />;
  }
  const hasFindings = judged?.review?.findings.some(needsAttention) ?? false;
  return (
    <StateChip
      tone={isReady && !hasFindings ? 'active' : 'warn'}
      shape={isReady ? 'circle' : 'clock'}
      word={isReady ? 'can be stored' : judged === undefined ? 'not checked' : 'waits for you'}
    />
  );
}
