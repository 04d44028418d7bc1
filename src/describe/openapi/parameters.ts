import type { JsonSchema } from './json-schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: true
  readonly description?: string
  readonly schema: JsonSchema
  readonly style?: 'form'
  readonly explode?: true
}

export function queryParameter(name: string, schema: JsonSchema, description?: string): Parameter {
  return {
    name,
    in: 'query',
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: true }),
    ...(description !== undefined && { description }),
  }
}

export function pathParameter(name: string, schema: JsonSchema, description?: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    schema,
    ...(description !== undefined && { description }),
  }
}

export function headerParameter(name: string, description: string): Parameter {
  return { name, in: 'header', schema: { type: 'string' }, description }
}
