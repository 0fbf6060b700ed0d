import type { CsrFinding, Fix } from '@certloop/contracts/browser';
import { CodeBlock, type Mark, StateChip, wholeSentence } from '@certloop/web-kit';

const marks: Readonly<Record<NonNullable<CsrFinding['severity']>, Mark>> = {
  error: { tone: 'bad', shape: 'octagon', word: 'error' },
  warning: { tone: 'warn', shape: 'triangle', word: 'warning' },
  info: { tone: 'idle', shape: 'circle', word: 'info' },
};

/** The findings about a CSR with their severities, and what repairs it. */
export function Findings({ findings }: { readonly findings: readonly CsrFinding[] }) {
  if (findings.length === 0) return null;
  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  return (
    <>
      <ul className="cl-strip cl-list" aria-label="Findings">
        {findings.map(({ code, severity = 'warning', message, rule }) => (
          <li key={code} title={rule}>
            <StateChip {...marks[severity]} /> {wholeSentence(message)}
          </li>
        ))}
      </ul>
      {fixes.length > 0 && <Repair fixes={fixes} />}
    </>
  );
}

/** Steps that repair a CSR: each sentence once, and the command, which is the same for all of its findings. */
export function Repair({ fixes }: { readonly fixes: readonly Fix[] }) {
  const sentences = [...new Set(fixes.flatMap(({ text }) => text ?? []))];
  const { openssl, certreq } = fixes.find((fix) => fix.openssl !== undefined) ?? {};
  return (
    <section className="cl-stack" aria-label="Repair">
      {sentences.map((sentence) => (
        <p key={sentence}>{wholeSentence(sentence)}</p>
      ))}
      {openssl !== undefined && <CodeBlock text={openssl} />}
      {certreq !== undefined && (
        <details>
          <summary>An INF file for certreq of Windows</summary>
          <CodeBlock text={certreq} />
        </details>
      )}
    </section>
  );
}

/** Whether the user should see a finding before the CSR is stored. */
export function needsAttention({ code, severity }: CsrFinding): boolean {
  return severity !== 'info' || code === 'more_names';
}
