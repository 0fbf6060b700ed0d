import { pythonWhitespace } from '../python-whitespace.js';

const maxSlugLength = 100;

/** Slug that versions 1 and 2 of the API make of a name: plain letters and digits, hyphens between words. */
export function slugOf(name: string): string {
  const plain = [...name.normalize('NFKD')].filter((letter) => letter.charCodeAt(0) < 128).join('');
  return plain
    .toLowerCase()
    .split(pythonWhitespace)
    .join(' ')
    .replace(/[^a-z0-9_ -]/g, '')
    .replace(/[- ]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, maxSlugLength);
}
