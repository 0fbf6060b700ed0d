// Glyphs of the consoles on a grid of 24, drawn with lines of 1.5. They are decoration: the word stands beside them.

const paths = {
  alert: 'M12 4 3 20h18zM12 10v4M12 17v.5',
  certificate: 'M5 4h14v11H5zM8 8h8M8 11h4M15 15v6l-2-1.5L11 21v-6',
  chart: 'M4 20h16M7 20v-7M12 20V5M17 20v-11',
  check: 'M5 13l4 4L19 7',
  chevron: 'M9 6l6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3.5 3 3.5 15 0 18M12 3c-3.5 3-3.5 15 0 18',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l8-8M16 7l3 3M14 9l2 2',
  list: 'M4 6h16M4 12h16M4 18h10',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  outside: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21',
  space: 'M4 7h6l2 2h8v10H4z',
  terminal: 'M3 5h18v14H3zM7 9l3 3-3 3M12 15h5',
  upload: 'M12 16V5M7 10l5-5 5 5M4 20h16',
  group:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2 20c0-3.5 3-5.5 7-5.5s7 2 7 5.5M16 5.5a3.5 3.5 0 0 1 0 6.5M18.5 15c2.2.9 3.5 2.7 3.5 5',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="cl-icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
