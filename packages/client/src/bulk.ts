import type { Call, CallOptions } from './call.ts'
import type { Content, ContentType, ToMany, ToOne } from './content.ts'
import type { Transport } from './transport.ts'

/** Identifies a document by a unique attribute. */
export interface DocumentKey {
  readonly key: Readonly<Record<string, string | number>>
}

type Target = string | number | DocumentKey

/** Relations accept keys, besides the values of a single write. */
type BulkValue<Value> = [ToOne] extends [Value]
  ? Value | DocumentKey
  : [ToMany] extends [Value]
    ? Value | readonly Target[]
    : Value

type BulkData<Data> = { readonly [Name in keyof Data]: BulkValue<Data[Name]> }

type Identified<S extends ContentType> = S['kind'] extends 'single'
  ? { readonly documentId?: undefined; readonly key?: undefined }
  : | { readonly documentId: string; readonly key?: undefined }
    | (DocumentKey & { readonly documentId?: undefined })

type LinesOf<Types, Locale> = {
  [Name in keyof Types]: Types[Name] extends infer S extends ContentType
    ? | (Identified<S> & {
          readonly op: 'upsert'
          readonly type: Name
          readonly locale?: Locale
          readonly status?: 'draft' | 'published'
          readonly data: BulkData<S['update']>
        })
      | (Identified<S> & {
          readonly op: 'delete'
          readonly type: Name
          readonly locale?: Locale | '*'
        })
    : never
}[keyof Types]

/** Creates, changes or deletes a document. `type` is the singular name of a content-type. */
export type BulkLine<C extends Content> = C extends { readonly singular: infer Types }
  ? LinesOf<Types, C['locales']>
  : never

export interface BulkOptions extends CallOptions {
  /** Writes all lines or none: 500 lines at most. A failure is a `QuireError`. */
  readonly atomic?: boolean
}

/** The result of the line with the same index. */
export type BulkResult =
  | {
      readonly result: 'created' | 'updated' | 'unchanged' | 'deleted'
      readonly documentId: string
    }
  | BulkFailure

export interface BulkFailure {
  /** `unprocessed`: the server stopped before this line, which can be sent again. */
  readonly result: 'failed' | 'unprocessed'
  readonly status: number
  readonly code: string
  readonly error: { readonly name: string; readonly message: string; readonly details?: unknown }
}

export type RunBulk<C extends Content> = (
  lines: readonly BulkLine<C>[],
  options?: BulkOptions,
) => Promise<readonly BulkResult[]>

/** Lines per request. The server accepts 10,000, but a smaller request fails for fewer lines. */
const BATCH = 1_000
/** The server responds within this time. */
const DEADLINE_MS = 600_000

type Answer = { readonly line: number | null } & (
  Exclude<BulkResult, BulkFailure> | (Omit<BulkFailure, 'result'> & { readonly result?: undefined })
)

export function openBulk(transport: Transport) {
  const send = async (lines: readonly object[], options: BulkOptions) => {
    const { body } = await transport.send(callOf(lines, options))
    if (Array.isArray(body)) return toResults(lines.length, body as readonly Answer[])
    throw new TypeError('The response to the lines is incomplete')
  }
  return async (lines: readonly object[], options: BulkOptions = {}): Promise<BulkResult[]> => {
    const results: BulkResult[] = []
    const size = options.atomic === true ? lines.length : BATCH
    for (let from = 0; from < lines.length; from += size) {
      results.push(...(await send(lines.slice(from, from + size), options)))
      const last = results.at(-1)
      if (last?.result !== 'unprocessed') continue
      for (let left = results.length; left < lines.length; left += 1) results.push(last)
      break
    }
    return results
  }
}

function callOf(lines: readonly object[], { atomic, signal }: BulkOptions): Call {
  return {
    method: 'POST',
    path: '_bulk',
    repeatable: true, // each line names its document
    query: { atomic },
    lines,
    waitMs: DEADLINE_MS,
    ...(signal !== undefined && { signal }),
  }
}

/** Lines without an answer have the error of the last answer, which has no line. */
function toResults(count: number, answers: readonly Answer[]): readonly BulkResult[] {
  const byLine = new Map(answers.map((answer) => [answer.line, answer]))
  const end = byLine.get(null)
  return Array.from({ length: count }, (_, index) => {
    const answer = byLine.get(index + 1) ?? end
    if (answer === undefined) throw new TypeError('The response to the lines is incomplete')
    if (answer.result !== undefined) {
      return { result: answer.result, documentId: answer.documentId }
    }
    const { status, code, error, line } = answer
    return { result: line === null ? 'unprocessed' : 'failed', status, code, error }
  })
}
