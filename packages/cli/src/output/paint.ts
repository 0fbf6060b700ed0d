import type { Io } from '../io.js';

const colours = { good: 32, bad: 31, uncertain: 33 } as const;
const glyphs = { good: '✓', bad: '✗', uncertain: '!' } as const;

type Mood = keyof typeof colours;

const moods: ReadonlyMap<string, Mood> = new Map([
  ...['up', 'ok', 'well', 'issued', 'current', 'trusted', 'success', 'completed'].map(
    (w) => [w, 'good'] as const,
  ),
  ...['down', 'failed', 'fault', 'expired', 'stale', 'untrusted', 'unreachable', 'foreign'].map(
    (w) => [w, 'bad'] as const,
  ),
  ...['grace', 'late', 'paused', 'new', 'pending', 'processing'].map((w) => [w, 'uncertain'] as const),
]);

const stateColumns = new Set(['status', 'state', 'result', 'class', 'monitor']);

/** Form of a cell where people watch: a state gets its glyph and its colour. */
export interface Paint {
  glyph(column: string, text: string): string;
  colour(column: string, text: string): string;
}

const asIs: Paint = { glyph: (_column, text) => text, colour: (_column, text) => text };

/** Glyphs and colours on terminals alone, and no colours under NO_COLOR (no-color.org) or a dumb terminal. */
export function createPaint({ env, out }: Pick<Io, 'env' | 'out'>): Paint {
  if (out.isTTY !== true || env['TERM'] === 'dumb') return asIs;
  const moodOf = (column: string, text: string) =>
    stateColumns.has(column) ? moods.get(text.replace(/^\W /u, '').trimEnd()) : undefined;
  const glyph = (column: string, text: string) => {
    const mood = moodOf(column, text);
    return mood === undefined ? text : `${glyphs[mood]} ${text}`;
  };
  const colour = (column: string, text: string) => {
    const mood = moodOf(column, text);
    return mood === undefined ? text : `\u001b[${colours[mood]}m${text}\u001b[39m`;
  };
  return env['NO_COLOR'] ? { glyph, colour: asIs.colour } : { glyph, colour };
}
