import { createHash } from 'node:crypto';
import { escapeHtml } from '@certloop/server';

/** Facts of the authority that the page shows. */
export interface FrontPage {
  /** Address of this service as the browser wrote it, such as `http://127.0.0.1:3002`. */
  readonly base: string;
  /** RFC 4514 text. */
  readonly subject: string;
  /** Algorithm and bits, such as `ECDSA 256`. */
  readonly key: string;
  /** SHA-256 of the root in upper-case hex with colons. */
  readonly fingerprint: string;
  readonly notAfter: Date;
  /** How many certificates `GET /certificate/{id}` can show. */
  readonly stored: number;
  /** Where ACME is served; undefined where it is not. */
  readonly directory: string | undefined;
}

const style = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:58rem;margin:2rem auto;padding:0 1rem;color:#212529;background:#f8f9fa}
h1{font-size:1.4rem}h2{font-size:1rem;margin:1.6rem 0 .4rem}
strong{display:block;padding:.5rem .75rem;border-radius:6px;background:#ffe8e8;color:#a1121e}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1rem}dt{color:#495057}dd{margin:0;overflow-wrap:anywhere}
code,pre{font:13px/1.6 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.6rem .75rem;border:1px solid #dee2e6;border-radius:6px;background:#fff}
a{color:#3b5bdb}
@media(prefers-color-scheme:dark){body{color:#dee2e6;background:#1a1a1a}strong{background:#471518;color:#ffb0ae}dt{color:#ced4da}pre{background:#242424;border-color:#3a3a3a}a{color:#91a7ff}}
@media(max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}`;

/** Policy of the page: it may show itself in its own style. */
export const frontPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const number = new Intl.NumberFormat('en');

/** The page for people who open the address of the authority. */
export function renderFrontPage(page: FrontPage): string {
  const base = escapeHtml(page.base);
  const directory = page.directory === undefined ? undefined : escapeHtml(page.directory);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dummy certificate authority</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Dummy certificate authority</h1>
<p><strong>Test authority: trust it in a lab only.</strong></p>
<dl>
<dt>Root</dt><dd>${escapeHtml(page.subject)} (<a href="root">download</a>)</dd>
<dt>Key</dt><dd>${escapeHtml(page.key)}</dd>
<dt>SHA-256</dt><dd><code>${page.fingerprint}</code></dd>
<dt>Valid until</dt><dd>${page.notAfter.toISOString().slice(0, 10)}</dd>
<dt>Certificates stored</dt><dd>${number.format(page.stored)}</dd>
<dt>ACME directory</dt><dd>${directory === undefined ? 'not served' : `<a href="${directory}">${directory}</a>`}</dd>
</dl>
<h2>Download the root</h2>
<pre>curl -sS -o root.pem ${base}/root</pre>
<h2>Sign the CSR in www.csr</h2>
<pre>curl -sS -H 'Content-Type: application/json' \\
  -d "{\\"csr\\":\\"$(base64 &lt; www.csr | tr -d '\\n')\\",\\"action\\":\\"sign\\"}" \\
  ${base}/csr</pre>
<h2>Show a certificate again</h2>
<pre>curl -sS ${base}/certificate/ID</pre>
<p><a href="docs/">All operations</a></p>
</main>
</body>
</html>
`;
}
