import { escapeHtml } from './html.js';

/** Variable parts of the page of an API. */
export interface ApiPage {
  /** Name of the API, in the title of the page. */
  readonly title: string;
  /** Folder of the assets beside the page, without slashes. */
  readonly assets: string;
}

/** HTML page that shows an API by its OpenAPI description; all its files are in the folder of the assets. */
export function renderApiPage({ title, assets }: ApiPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/png" href="${assets}/favicon-32x32.png">
<link rel="stylesheet" href="${assets}/swagger-ui.css">
<link rel="stylesheet" href="${assets}/page.css">
</head>
<body>
<div id="api"></div>
<noscript>This page needs scripts; the description itself is at <a href="../openapi.json">openapi.json</a>.</noscript>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/page.js"></script>
</body>
</html>
`;
}

/** Starts the page. The description comes from this service, and is not sent to a validator elsewhere. */
export const pageScript = `SwaggerUIBundle({
  url: new URL('../openapi.json', window.location.href).href,
  dom_id: '#api',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
});
`;

export const pageStyle = `html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
`;

/**
 * Content security policy of the page: scripts and styles of this service only, and calls to it. The style sheet
 * contains its images as data URLs.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
