interface WithFacts {
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The same query, which looks at all names and is not loaded again at each of many changes by others. */
export function overview<Options extends WithFacts>(options: Options): Options {
  return { ...options, meta: { ...options.meta, isOverview: true } };
}

/** The same list, whose rows do not move while someone reads them: it does not follow changes by others. */
export function still<Options extends WithFacts>(options: Options): Options {
  return { ...options, meta: { ...options.meta, isStill: true } };
}
