import type { FoundTexts } from '../../content/read/find-texts.ts'
import type { FoundEntries } from '../../content/read/find-entries.ts'
import type { SearchMeta } from '../../content/read/find-searched.ts'
import type { ShownGroups } from '../../content/read/show-groups.ts'
import { describePage } from '../../content/read/describe-page.ts'
import type { Entry } from '../../content/read/row.ts'
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
  readonly meta: {
    readonly pagination: object
    readonly search?: SearchMeta
    readonly distances?: readonly number[]
  }
}

export function listEnvelope(found: FoundEntries, page: Page): ListEnvelope {
  const { search, distances } = found
  const meta = {
    pagination: describePage(found, page),
    ...(search !== undefined && { search }),
    ...(distances !== undefined && { distances }),
  }
  return { data: found.entries, meta }
}

export function groupsEnvelope({ groups, isCapped }: ShownGroups): object {
  return { data: groups, meta: { capped: isCapped } }
}

export function listText(found: FoundTexts, page: Page): string {
  const meta = JSON.stringify({ pagination: describePage(found, page) })
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
