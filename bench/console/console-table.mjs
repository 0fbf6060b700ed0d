const head = [
  'requests',
  'kB',
  'on screen',
  'ratio',
  'CPU of the page',
  'longest task',
  'nodes',
  'CPU a request',
];

/** Markdown table of the pages; the ratio is the time of the bare page in the same browser, as a share of the page's. */
export function formatPages(suite, _baseline, rows) {
  const bare = rows[0]?.shownMs;
  const lines = [
    [suite, ...head],
    [suite, ...head].map(() => '---'),
    ...rows.map((row) => (row.frameMs === undefined ? cells(row, bare) : scrolled(row))),
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cells({ what, requests, bytes, shownMs, taskMs, maxTaskMs, nodes, cpuMs }, bare) {
  return [
    what,
    requests ?? '-',
    bytes === undefined ? '-' : (bytes / 1e3).toFixed(1),
    ms(shownMs),
    shownMs === undefined ? '-' : (bare / shownMs).toFixed(2),
    ms(taskMs),
    // the browser reports tasks of 50 ms and more
    maxTaskMs === 0 ? '< 50 ms' : ms(maxTaskMs),
    nodes ?? '-',
    cpuMs === undefined ? '-' : `${cpuMs.toFixed(1)} ms`,
  ];
}

function scrolled({ what, frameMs, eventMs, nodes }) {
  return [what, '-', '-', '-', '-', `frame p95 ${ms(frameMs)}`, `click ${ms(eventMs)}`, nodes, '-'];
}

function ms(value) {
  return value === undefined ? '-' : `${Math.round(value)} ms`;
}
