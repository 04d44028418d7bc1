import type { RegisteredRoute } from '../../extensions/collect-routes.ts'
import { isRecord } from '../../base/is-record.ts'
import { type JsonSchema, TEXT } from './json-schema.ts'
import type { PlacedOperation } from './operation.ts'
import { type Parameter, pathParameter, queryParameter } from './parameters.ts'
import { answer, failures } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

export function extensionOperations(
  { may }: Pick<Vocabulary, 'may'>,
  routes: readonly RegisteredRoute[],
): readonly PlacedOperation[] {
  return routes.flatMap(({ extension, method, path, permission, schema, isRaw }) => {
    const isShown = permission === 'public' || may(permission)
    if (schema === null || !isShown || !path.startsWith('/api/')) return []
    const { summary = `${method.toUpperCase()} ${path}`, query, body, response } = schema
    return {
      path,
      method,
      operation: {
        operationId: `extension_${extension}_${method}_${path}`.replaceAll(/\W+/g, '_'),
        summary,
        tags: [`Extension ${extension}`],
        parameters: [...pathParameters(path), ...queryParameters(query)],
        ...(body !== undefined && { requestBody: requestBody({ ...body }) }),
        ...(isRaw && { requestBody: { content: { '*/*': { schema: {} } } } }),
        responses: {
          ...(response === undefined ? ANY : { '2XX': answer('The response', { ...response }) }),
          ...failures(404, 413),
        },
      },
    }
  })
}

/** A handler may send any type, and no body. */
const ANY = {
  '2XX': {
    description: 'The response',
    content: { 'application/json': { schema: {} }, '*/*': { schema: {} } },
  },
}

function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name, TEXT))
}

function queryParameters(query: object | undefined): readonly Parameter[] {
  const { properties, required }: JsonSchema = { ...query }
  if (!isRecord(properties)) return []
  return Object.entries(properties).map(([name, schema]) => ({
    ...queryParameter(name, isRecord(schema) ? schema : {}),
    ...(Array.isArray(required) && required.includes(name) && { required: true as const }),
  }))
}

function requestBody(schema: JsonSchema): object {
  return { required: true, content: { 'application/json': { schema } } }
}
