/** The rows changed into something else, each at the moment when it is taken. */
export function eachOf<From, To>(rows: Iterable<From>, change: (row: From) => To): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield change(row);
    },
  };
}
