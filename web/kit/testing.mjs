// What the tests of the consoles measure of a built one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * Sizes of a built console in bytes after gzip: JavaScript and CSS that every visit loads, and what each
 * page loads besides, with the parts that it shares with others, by file name.
 */
export function measureConsole(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = new Map(
    readdirSync(join(folder, 'assets'))
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, 'assets', name))]),
  );
  const load = (name, loaded) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const [, other] of String(assets.get(name)).matchAll(/(?:^|;)import[^;("]*"\.\/([^"]+)"/g)) {
      if (assets.has(other)) load(other, loaded);
    }
  };
  const first = new Set();
  for (const [, name] of html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.(?:js|css))"/g)) load(name, first);
  const sizeOf = (name) => gzipSync(assets.get(name), { level: 9 }).length;
  const sum = (names, suffix) =>
    [...names].filter((name) => name.endsWith(suffix)).reduce((total, name) => total + sizeOf(name), 0);
  const pageSize = (name) => {
    const loaded = new Set(first);
    load(name, loaded);
    return sum(
      [...loaded].filter((one) => !first.has(one)),
      '.js',
    );
  };
  const pages = [...assets.keys()].filter((name) => name.includes('-page-') && name.endsWith('.js'));
  return {
    html,
    code: [...assets].filter(([name]) => name.endsWith('.js')).map(([, bytes]) => String(bytes)),
    firstJs: sum(first, '.js'),
    css: sum(first, '.css'),
    pages: Object.fromEntries(pages.map((name) => [name, pageSize(name)])),
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
