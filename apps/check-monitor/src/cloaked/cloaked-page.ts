import { createHash } from 'node:crypto';
import type { CheckStatus } from '@certloop/contracts';
import { escapeHtml } from '../integrations/messages/markup.js';

/** Content of the page of a check; plain text, nothing escaped. */
export interface CloakedView {
  readonly siteName: string;
  readonly name: string;
  readonly status: CheckStatus;
  /** The moment that the page is true for. */
  readonly asOf: string;
  /** Newest first. */
  readonly pings: readonly { readonly moment: string; readonly kind: string }[];
}

const statusTexts: Readonly<Record<CheckStatus, { readonly word: string; readonly meaning: string }>> = {
  new: { word: 'New', meaning: 'No ping has arrived yet.' },
  up: { word: 'Up', meaning: 'Pings arrive on time.' },
  grace: { word: 'Late', meaning: 'The expected ping is late; the grace time has not ended.' },
  down: { word: 'Down', meaning: 'The expected ping did not arrive, or a ping reported a failure.' },
  paused: { word: 'Paused', meaning: 'No pings are expected.' },
};

const style = `:root{color-scheme:light dark}
body{margin:0;padding:2rem 1rem;font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto}
h1{margin:.5rem 0;font-size:1.5rem;overflow-wrap:anywhere}
h2{margin:2rem 0 .5rem;font-size:1rem}
.status{display:inline-block;margin:0;padding:.1rem .75rem;border-radius:1rem;font-weight:600;color:#fff}
.new,.paused{background:#5f6b7a}.up{background:#1f7a3d}.grace{background:#8a5a00}.down{background:#b3261e}
table{width:100%;border-collapse:collapse}
th,td{padding:.35rem .5rem .35rem 0;text-align:left;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}
footer{margin-top:2rem;font-size:.875rem;opacity:.75}`;

/** Policy by which a browser applies the style of this page and nothing else. */
export const cloakedPolicy = `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'none'`;

/**
 * Page of a check: its name, its status, and the times and kinds of its latest pings. `inConsole` is the address of its
 * page in the console, for people who can sign in.
 */
export function cloakedPage(view: CloakedView, inConsole?: string): string {
  const { word, meaning } = statusTexts[view.status];
  const name = escapeHtml(view.name);
  return page(view.siteName, `${view.name}: ${word}`, [
    `<p class="status ${view.status}">${word}</p>`,
    `<h1>${name}</h1>`,
    `<p>${meaning}</p>`,
    inConsole === undefined ? '' : `<p><a href="${escapeHtml(inConsole)}">Open in the console</a></p>`,
    '<h2>Latest pings</h2>',
    view.pings.length === 0 ? '<p>None.</p>' : pingTable(view.pings),
    `<footer><p>As of ${escapeHtml(view.asOf)}. ${escapeHtml(view.siteName)} shows this page to everyone who has its link.</p></footer>`,
  ]);
}

/** Page behind the link of a test message. */
export function cloakedTestPage(siteName: string): string {
  return page(siteName, 'Test message', [
    '<h1>The test message arrived</h1>',
    '<p>In an alert, this link opens a page with the status and the latest pings of the check.</p>',
    `<footer><p>${escapeHtml(siteName)}</p></footer>`,
  ]);
}

function pingTable(pings: CloakedView['pings']): string {
  const rows = pings.map(
    ({ moment, kind }) => `<tr><td>${escapeHtml(moment)}</td><td>${escapeHtml(kind)}</td></tr>`,
  );
  return `<table>\n<thead><tr><th>Time</th><th>Kind</th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;
}

function page(siteName: string, title: string, content: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${title} · ${siteName}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
${content.join('\n')}
</main>
</body>
</html>
`;
}
