const head = ['figure', 'target', 'ratio', 'p50 ms', 'p99 ms', 'CPU ms/request', 'refused'];

/** Markdown table of a suite's rows; the ratio is the share of the bare server's speed, asked in the same manner. */
export function formatRows(suite, baseline, rows) {
  const lines = [
    [suite, ...head],
    [suite, ...head].map(() => '---'),
    cells(baseline, baseline),
    ...rows.map((row) => cells(row, baseline)),
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cells(row, baseline) {
  const { what, figure, target = '', p50, p99, cpuMs, refused = 0 } = row;
  return [
    what,
    figure,
    target,
    shown(ratioOf(row, baseline)),
    shown(p50),
    shown(p99),
    shown(cpuMs),
    `${refused}`,
  ];
}

/** `ratio` of the row where it was measured beside a bare server of its own. */
function ratioOf({ ratio, perSecond, aloneMs }, baseline) {
  if (ratio !== undefined) return ratio;
  return perSecond === undefined
    ? baseline.aloneMs / (aloneMs ?? Number.NaN)
    : perSecond / baseline.perSecond;
}

/** Three digits that count; a dash for what was not measured. */
function shown(value) {
  if (value === undefined || Number.isNaN(value)) return '-';
  return value === 0 ? '0' : Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 4 });
}
