import { z } from 'zod';
import type { Schema } from '../endpoint.js';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * JSON Schema of a zod schema as it is read (`input`) or written (`output`). Schemas that carry an `id` stand
 * under `$defs`, which `hoistDefinitions` moves to the document.
 */
export function jsonSchemaOf(schema: Schema, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return rest;
}

function simplify(schema: JsonSchema): void {
  // A reader of today must bear the members of tomorrow.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // The format says it shorter.
  if (schema.format === 'date-time') delete schema.pattern;
  if (schema.type === 'boolean') {
    // How its text is written in a query.
    delete schema.enum;
    if (typeof schema.default === 'string') schema.default = schema.default === 'true';
  }
  if (schema.type === 'integer') {
    // How its text is written in a query.
    delete schema.pattern;
    if (typeof schema.default === 'string') schema.default = Number(schema.default);
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  }
}

interface Hoisted<T> {
  readonly document: T;
  /** Every schema with a name, by name. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

/** The document without its `$defs`, whose references now point to `#/components/schemas`. */
export function hoistDefinitions<T>(document: T): Hoisted<T> {
  const schemas: Record<string, unknown> = {};
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const { $defs, ...rest } = node as Readonly<Record<string, unknown>>;
    Object.assign(schemas, visit($defs));
    return Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, key === '$ref' ? moved(value) : visit(value)]),
    );
  };
  return { document: visit(document) as T, schemas };
}

function moved(reference: unknown): string {
  return String(reference).replace(/^#\/\$defs\//, '#/components/schemas/');
}
