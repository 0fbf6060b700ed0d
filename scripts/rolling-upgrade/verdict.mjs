// Compares what was acknowledged, what the CA has issued and what is stored.

const countBy = (rows, keyOf) => {
  const counts = new Map();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
};
const identityOf = ({ fqdn, serialNumber }) => `${fqdn} ${serialNumber}`;

/**
 * Findings on certificates, each a list of texts. `names` are those of a record; `issued` and `stored` are lists of
 * { fqdn, serialNumber }, the stored ones with `isAudited`; `reported` is how many certificates the audit log reports
 * that may have been issued and could not be stored.
 */
export function compareCertificates({ names, issued, stored, reported }) {
  const storedKeys = countBy(stored, identityOf);
  const perName = countBy(issued, ({ fqdn }) => fqdn);
  const neverStored = issued.map(identityOf).filter((key) => !storedKeys.has(key));
  const issuedKeys = new Set(issued.map(identityOf));
  const entries = [...names];
  return {
    'never stored': neverStored.slice(reported),
    'stored twice': [...storedKeys].filter(([, count]) => count > 1).map(([key]) => key),
    'stored, but not issued': [...storedKeys.keys()].filter((key) => !issuedKeys.has(key)),
    'acknowledged and lost': entries.flatMap(([fqdn, { acknowledged }]) =>
      [...acknowledged]
        .map((serialNumber) => identityOf({ fqdn, serialNumber }))
        .filter((key) => !storedKeys.has(key)),
    ),
    'issued more often than asked': entries
      .filter(([fqdn, { asked }]) => (perName.get(fqdn) ?? 0) > asked)
      .map(([fqdn, { asked }]) => `${fqdn}: ${perName.get(fqdn)} instead of ${asked}`),
    'not renewed': entries
      .filter(([fqdn, { isExact, asked }]) => isExact && (perName.get(fqdn) ?? 0) < asked)
      .map(([fqdn, { asked }]) => `${fqdn}: ${perName.get(fqdn) ?? 0} instead of ${asked}`),
    'without an audit entry': stored.filter(({ isAudited }) => !isAudited).map(identityOf),
  };
}

/** Markdown table of the calls. */
export function tableOfCalls(calls) {
  const rows = [...calls].toSorted(([one], [other]) => one.localeCompare(other));
  return [
    '| Call | Sent | Answered | Refused | Cut by the kill | Failed | Slowest, s |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(([kind, { sent, answered, refused, cut, failed, maxMs }]) =>
      line([kind, sent, answered, refused, cut, failed, (maxMs / 1000).toFixed(1)]),
    ),
  ].join('\n');
}

/** Markdown table of counts. */
export function tableOfCounts(counts) {
  return ['| What | Count |', '|---|---|', ...Object.entries(counts).map((row) => line(row))].join('\n');
}

const line = (cells) => `| ${cells.join(' | ')} |`;
