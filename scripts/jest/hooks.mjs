// Leads imports of @jest/globals to the module that stands in for it.
const globals = { url: new URL('globals.mjs', import.meta.url).href, shortCircuit: true };

export async function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? globals : next(specifier, context);
}
