export type JsonSchema = Readonly<Record<string, unknown>>

export const TEXT: JsonSchema = { type: 'string' }
export const INTEGER: JsonSchema = { type: 'integer' }
export const FLAG: JsonSchema = { type: 'boolean' }

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (REFERRING.some((key) => key in schema)) return { anyOf: [schema, { type: 'null' }] }
  if (typeof type !== 'string') return schema // accepts any value including null
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  }
}

const REFERRING = ['$ref', 'oneOf', 'anyOf']

export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

export function arraySchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description }
}
