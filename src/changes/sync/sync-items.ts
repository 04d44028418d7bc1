import { createHash } from 'node:crypto'
import type { Data } from '../../schema/definition.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { SyncedVersion } from '../../mongo/read/read-synced.ts'
import type { SyncedType } from './query/parse-scope.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { RowShape } from './row-shape.ts'

const MAX_PAGE_BYTES = 1_048_576

export class SyncItems {
  readonly texts: string[] = []
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get room(): number {
    return this.#bytes >= MAX_PAGE_BYTES ? 0 : Math.max(0, this.#limit - this.texts.length)
  }

  /** Returns false if the item does not fit. The first item of a page always fits. */
  add(text: string): boolean {
    const bytes = Buffer.byteLength(text)
    if (this.room === 0) return false
    if (this.texts.length > 0 && this.#bytes + bytes > MAX_PAGE_BYTES) return false
    this.force(text)
    return true
  }

  force(text: string): void {
    this.texts.push(text)
    this.#bytes += Buffer.byteLength(text)
  }
}

export type Reset =
  | { readonly reason: 'permission' | 'schema' }
  | { readonly reason: 'locale'; readonly locale: string }

export function resetItem({ name }: Pick<SyncedType, 'name'>, reset: Reset): string {
  return JSON.stringify({ op: 'reset', type: name, ...reset })
}

export function rowItem(
  { name, plan, shape }: SyncedType & { readonly shape: RowShape },
  version: SyncedVersion,
): string {
  const { documentId, locale, status } = version
  const place = { documentId, locale: shownLocale(locale), status }
  const data = shape.show(version)
  const revision = plan.adopted === undefined ? revisionOf(version) : digestOf(data)
  return JSON.stringify({ op: 'put', type: name, ...place, revision, data })
}

/** Documents of other services have no revision. Clients compare it with that of their row. */
function digestOf(data: Data): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 16)
}

export function removalItem(
  { name }: SyncedType,
  { documentId, locale }: { readonly documentId: string; readonly locale: string },
): string {
  return JSON.stringify({ op: 'delete', type: name, documentId, locale: shownLocale(locale) })
}

export function shownLocale(locale: string): string | null {
  return locale === NO_LOCALE ? null : locale
}
