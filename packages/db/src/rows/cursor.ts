/** Statements of the one cursor of a transaction, in the words of PostgreSQL; for SQLite they are followed by us. */
export const cursor = {
  /** Followed by the query. */
  declare: 'DECLARE slices NO SCROLL CURSOR FOR ',
  fetch: (rows: number) => `FETCH FORWARD ${rows} FROM slices`,
  close: 'CLOSE slices',
} as const;

const fetching = /^FETCH FORWARD (\d+) FROM slices$/;

/** Rows of a query, until they are asked for: what stands for a cursor where the database has none. */
export class HeldRows<Row> {
  private rows: Row[] = [];
  private next = 0;

  /** The query of a declaration; undefined for any other statement. */
  queryOf(text: string): string | undefined {
    return text.startsWith(cursor.declare) ? text.slice(cursor.declare.length) : undefined;
  }

  hold(rows: Row[]): void {
    this.rows = rows;
    this.next = 0;
  }

  /** The next rows where the statement asks for them, none where it closes the cursor; undefined for any other. */
  answer(text: string): Row[] | undefined {
    if (text === cursor.close || text === 'COMMIT' || text === 'ROLLBACK') this.hold([]);
    if (text === cursor.close) return [];
    const count = text.startsWith('FETCH ') ? fetching.exec(text)?.[1] : undefined;
    if (count === undefined) return undefined;
    const from = this.next;
    this.next = Math.min(from + Number(count), this.rows.length);
    return this.rows.slice(from, this.next);
  }
}
