import type { FoundDocuments, FoundTexts } from '../documents/read/find-documents.ts'
import type { Entry } from '../documents/read/to-entry.ts'
import type { CmsError, ErrorDetails } from '../errors.ts'
import type { Page } from '../query/query.ts'

/**
 * The header that has the code of an error (docs/errors.md). Not a member of the envelope: that is the dialect's, member
 * by member, and what compares it would find one too many.
 */
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

/** One entry. */
export function entryEnvelope(entry: Entry, meta: object = {}): object {
  return { data: entry, meta }
}

/** A few entries that are no page of a list. */
export function entriesEnvelope(entries: readonly Entry[]): object {
  return { data: entries, meta: {} }
}

export interface ListEnvelope {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: object }
}

/** A page of a list, with where it is. */
export function listEnvelope(found: FoundDocuments, page: Page): ListEnvelope {
  return { data: found.entries, meta: { pagination: paginationOf(found, page) } }
}

/** The text of a `listEnvelope` whose entries are texts already. */
export function listText(found: FoundTexts, page: Page): string {
  const meta = JSON.stringify({ pagination: paginationOf(found, page) })
  return `{"data":[${found.texts.join(',')}],"meta":${meta}}`
}

/** As an answer to this path shows it: the dialect knows no codes of faults, and the Studio says them in its language. */
export function envelopeAt(path: string, error: CmsError): ErrorEnvelope {
  return path.startsWith('/admin/') ? codedEnvelope(error) : errorEnvelope(error)
}

/** For the Studio: with the code of each fault. */
export function codedEnvelope({ status, name, message, codedDetails }: CmsError): ErrorEnvelope {
  return envelopeOf({ status, name, message }, codedDetails)
}

/** An error as it goes over the wire; without `details` where it has none. */
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
