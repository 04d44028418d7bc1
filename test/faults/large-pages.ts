import { randomBytes } from 'node:crypto'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'

/** The content-types of the mixed load, and one with large entries. */
export const TYPES_WITH_PAGES = {
  ...MIXED_TYPES,
  page: {
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    attributes: { text: { type: 'text' } },
  },
}

export const HEADERS = {
  authorization: `Bearer ${ROOT_TOKEN}`,
  'content-type': 'application/json',
}

export interface AddedPage {
  /** Status, body and Retry-After. */
  readonly answer: readonly [number, unknown, string | null]
  /** Null if it was refused. */
  readonly documentId: string | null
}

/** Creates a page of 200,000 characters. */
export async function addPage({ base }: ServerProcess, timeoutMs: number): Promise<AddedPage> {
  const response = await fetch(`${base}/api/pages`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ data: { text: randomBytes(100_000).toString('hex') } }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const body = (await response.json()) as { readonly data: { documentId: string } | null }
  return {
    answer: [response.status, body, response.headers.get('retry-after')],
    documentId: body.data?.documentId ?? null,
  }
}

/** The response to `addPage` while the database refuses it. */
export function refusal(message: string): AddedPage['answer'] {
  const error = { status: 503, name: 'ServiceUnavailableError', message, details: {} }
  return [503, { data: null, error }, '1']
}
