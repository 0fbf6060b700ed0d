// What the tests of the consoles measure of a built one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const imported = /(?:^|[;}])import\s*(?:[^"'();]*?from\s*)?"\.\/([^"]+)"/g;
const opened = /import\(\s*[`"']\.\/([^`"']+)[`"']\s*\)/g;

/**
 * Sizes of a built console in bytes after gzip: JavaScript and CSS that every visit loads, and all that each page loads
 * beside that, by the name of its file. `first` is what the document says of the first requests of each page.
 */
export function measureConsole(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = new Map(
    readdirSync(join(folder, 'assets'))
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, 'assets', name))]),
  );
  /** The files and all that they import, without those in `known`. */
  const withImports = (names, known = new Set()) => {
    const found = new Set();
    const load = (name) => {
      if (found.has(name) || known.has(name) || !assets.has(name)) return;
      found.add(name);
      for (const [, other] of String(assets.get(name)).matchAll(imported)) load(other);
    };
    for (const name of names) load(name);
    return found;
  };
  const named = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.(?:js|css))"/g)];
  const first = withImports(named.map(([, name]) => name));
  const sizeOf = (name) => gzipSync(assets.get(name), { level: 9 }).length;
  const sum = (names, suffix) =>
    [...names].filter((name) => name.endsWith(suffix)).reduce((total, name) => total + sizeOf(name), 0);
  const pages = new Set(
    [...assets.values()].flatMap((bytes) => [...String(bytes).matchAll(opened)].map(([, name]) => name)),
  );
  const [, early] = html.match(/data-first="([^"]+)"/);
  return {
    html,
    first: JSON.parse(early.replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
    code: [...assets].filter(([name]) => name.endsWith('.js')).map(([, bytes]) => String(bytes)),
    firstJs: sum(first, '.js'),
    css: sum(first, '.css'),
    pages: Object.fromEntries([...pages].map((name) => [name, sum(withImports([name], first), '.js')])),
  };
}

/** Forms of a console's sources that show no curl command of what they send, as file and number; a `SendForm` does. */
export function formsWithoutCurl(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => {
      const [, ...forms] = readFileSync(join(folder, name), 'utf8').split('<form');
      const missing = (text) => !/<CopyCurl\b/.test(text.split('</form>')[0]);
      return forms.flatMap((text, place) => (missing(text) ? [`${name} ${place + 1}`] : []));
    });
}
