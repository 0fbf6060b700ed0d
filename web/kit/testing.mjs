// What the tests of the consoles measure of a built one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * Sizes of a built console in bytes after gzip: JavaScript and CSS that every visit loads, and each part that a page
 * loads on its own, by file name.
 */
export function measureConsole(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = new Map(
    readdirSync(join(folder, 'assets'))
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, 'assets', name))]),
  );
  const first = new Set();
  const load = (name) => {
    if (first.has(name)) return;
    first.add(name);
    for (const [, other] of String(assets.get(name)).matchAll(
      /^import[^;]*?"\.\/([^"]+)"|;import[^;]*?"\.\/([^"]+)"/g,
    )) {
      if (assets.has(other)) load(other);
    }
  };
  for (const [, name] of html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.(?:js|css))"/g)) load(name);
  const sizeOf = (name) => gzipSync(assets.get(name), { level: 9 }).length;
  const sum = (suffix) =>
    [...first].filter((name) => name.endsWith(suffix)).reduce((total, name) => total + sizeOf(name), 0);
  const rest = [...assets.keys()].filter((name) => name.endsWith('.js') && !first.has(name));
  return {
    html,
    code: [...assets].filter(([name]) => name.endsWith('.js')).map(([, bytes]) => String(bytes)),
    firstJs: sum('.js'),
    css: sum('.css'),
    parts: Object.fromEntries(rest.map((name) => [name, sizeOf(name)])),
  };
}

/** Forms of a console's sources that show no curl command of what they send, as file and number. */
export function formsWithoutCurl(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => {
      const [, ...forms] = readFileSync(join(folder, name), 'utf8').split('<form');
      const missing = (text) => !/<(FormEnd|CopyCurl)\b/.test(text.split('</form>')[0]);
      return forms.flatMap((text, place) => (missing(text) ? [`${name} ${place + 1}`] : []));
    });
}
