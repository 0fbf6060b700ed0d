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

function cells({ what, figure, target = '', perSecond, aloneMs, p50, p99, cpuMs, refused = 0 }, baseline) {
  const ratio =
    perSecond === undefined ? baseline.aloneMs / (aloneMs ?? Number.NaN) : perSecond / baseline.perSecond;
  return [what, figure, target, shown(ratio), shown(p50), shown(p99), shown(cpuMs), `${refused}`];
}

/** Three digits that count; a dash for what was not measured. */
function shown(value) {
  if (value === undefined || Number.isNaN(value)) return '-';
  return value === 0 ? '0' : Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 4 });
}
