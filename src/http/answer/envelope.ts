import type { FoundDocuments, FoundTexts } from '../../content/read/find-documents.ts'
import type { Entry } from '../../content/read/to-entry.ts'
import type { CmsError, ErrorDetails } from '../../base/errors.ts'
import type { Page } from '../../query/query.ts'

/** The envelope has no field for the error code, because the dialect defines all of its fields. */
export const ERROR_CODE = 'Error-Code'

export interface ErrorEnvelope {
  readonly data: null
  readonly error: {
    readonly status: number
    readonly name: string
    readonly message: string
    readonly details?: ErrorDetails
  }
}

export function entryEnvelope(entry: Entry, meta: object = {}): object {
  return { data: entry, meta }
}

export function entriesEnvelope(entries: readonly Entry[]): object {
  return { data: entries, meta: {} }
}

export interface ListEnvelope {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: object }
}

export function listEnvelope(found: FoundDocuments, page: Page): ListEnvelope {
  return { data: found.entries, meta: { pagination: paginationOf(found, page) } }
}

export function listText(found: FoundTexts, page: Page): string {
  const meta = JSON.stringify({ pagination: paginationOf(found, page) })
  return `{"data":[${found.texts.join(',')}],"meta":${meta}}`
}

/** Only the management API includes the codes of faults, which the Studio translates. */
export function envelopeAt(path: string, error: CmsError): ErrorEnvelope {
  return path.startsWith('/admin/') ? codedEnvelope(error) : errorEnvelope(error)
}

export function codedEnvelope({ status, name, message, codedDetails }: CmsError): ErrorEnvelope {
  return envelopeOf({ status, name, message }, codedDetails)
}

export function errorEnvelope({ status, name, message, details }: CmsError): ErrorEnvelope {
  return envelopeOf({ status, name, message }, details)
}

function envelopeOf(
  error: Omit<ErrorEnvelope['error'], 'details'>,
  details: ErrorDetails | null,
): ErrorEnvelope {
  return { data: null, error: details === null ? error : { ...error, details } }
}

function paginationOf(
  { total, notes, nextCursor }: Omit<FoundDocuments, 'entries'>,
  page: Page,
): object {
  const noted = Object.fromEntries(notes.map((note) => [note, true]))
  switch (page.kind) {
    case 'page': {
      const { page: number, pageSize } = page
      const counted = total === null ? {} : { pageCount: Math.ceil(total / pageSize), total }
      return { page: number, pageSize, ...counted, ...noted }
    }
    case 'offset':
      return { start: page.start, limit: page.limit, ...(total !== null && { total }), ...noted }
    case 'cursor':
      return { pageSize: page.pageSize, nextCursor, ...(total !== null && { total }), ...noted }
  }
}
