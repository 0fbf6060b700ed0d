import { useEffect } from 'react';

const shapes = {
  bad: '<path fill="#d0202c" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path stroke="#fff" stroke-width="2" d="M8 4v5M8 11v1.5"/>',
  warn: '<circle cx="8" cy="8" r="6.5" fill="#fff" stroke="#c77d00" stroke-width="2"/><path stroke="#c77d00" stroke-width="2" fill="none" d="M8 4v4l3 2"/>',
  ok: '<circle cx="8" cy="8" r="6.5" fill="#fff" stroke="#2b9a5b" stroke-width="2"/><path stroke="#2b9a5b" stroke-width="2" fill="none" d="M5 8l2 2 4-4"/>',
} as const;

/** Draws the worst state into the tab of the browser, by its shape; undefined leaves the icon of the console. */
export function useTabIcon(tone: keyof typeof shapes | undefined): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link === null || tone === undefined) return;
    const usual = link.href;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shapes[tone]}</svg>`;
    link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return () => {
      link.href = usual;
    };
  }, [tone]);
}
