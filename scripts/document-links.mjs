// Judges the links of Markdown documents.

const prose = (text) => text.replace(/^( *)(```|~~~)[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, '');

/** Anchors of a document's headings as Git forges make them: lower case, blanks as hyphens, repeated ones counted. */
export function anchorsIn(text) {
  const seen = new Map();
  return [...prose(text).matchAll(/^#{1,6} +(.*?)[ #]*$/gm)].map(([, heading]) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Links of a document that lead into the project: `target` as written before `#`, '' for the document itself. */
export function linksIn(text) {
  const targets = prose(text).matchAll(/\]\((?![a-z][a-z\d+.-]*:)([^)#\s]*)(?:#([^)\s]*))?\)/gi);
  return [...targets].map(([, target, anchor]) => ({ target, anchor }));
}

/**
 * Links that lead to nothing, as `page: link`. `readPage(path)` is the text of a file of the project, '' for a
 * folder or a file of another kind, undefined where there is nothing.
 */
export function brokenLinks(pages, readPage) {
  return pages.flatMap((page) =>
    linksIn(readPage(page))
      .filter(({ target, anchor }) => {
        const text = readPage(target === '' ? page : resolve(page, target));
        return text === undefined || (anchor !== undefined && !anchorsIn(text).includes(anchor));
      })
      .map(({ target, anchor }) => `${page}: ${target}${anchor === undefined ? '' : `#${anchor}`}`),
  );
}

/** Pages that no one gets to from `start` by links of documents. */
export function unreachable(start, pages, readPage) {
  const reached = new Set([start]);
  for (const page of reached) {
    for (const { target } of linksIn(readPage(page))) {
      const path = resolve(page, target);
      if (pages.includes(path)) reached.add(path);
    }
  }
  return pages.filter((page) => !reached.has(page));
}

function resolve(page, target) {
  return new URL(target, `file:///${page}`).pathname.slice(1);
}
