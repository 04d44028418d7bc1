import type { Answer, Json } from '../support/server.ts'

/**
 * The outcome of a response in one line of a table: an attribute of each listed entry or of the one
 * entry, or for a failure `400 ValidationError: Invalid key x at y [x y query filters]`. The
 * brackets contain key, path, source and param of the details, or the paths of the errors.
 */
export function outcome(answer: Answer, attribute: string): unknown {
  if (answer.status >= 400) return failure(answer)
  if (answer.status === 204) return 204
  const data: Json = answer.body.data ?? answer.body
  return Array.isArray(data)
    ? data.map((entry: Json) => read(entry, attribute))
    : read(data, attribute)
}

/** The value at a dotted path, or the values of all elements of a list. */
export function read(value: Json, attribute: string): Json {
  return attribute
    .split('.')
    .reduce<Json>(
      (found, key) =>
        Array.isArray(found) && !/^\d+$/.test(key)
          ? found.map((one: Json) => one?.[key])
          : found?.[key],
      value,
    )
}

function failure({ status, body, text }: Answer): string {
  const error = body?.error
  if (error === undefined) return `${status} ${text}`
  const { details } = error
  const facts =
    details?.source !== undefined
      ? ['key', 'path', 'source', 'param']
          .filter((name) => name in details)
          .map((name) => details[name])
      : (details?.errors ?? []).map(({ path }: Json) => path.join('.'))
  return `${status} ${error.name}: ${error.message}${facts.length > 0 ? ` [${facts.map(String).join(' ')}]` : ''}`
}
