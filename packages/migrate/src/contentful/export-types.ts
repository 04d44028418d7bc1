import type { Data } from '../data.ts'

/** https://www.contentful.com/developers/docs/references/content-management-api/#/reference/content-types */
export interface ContentfulField {
  readonly id: string
  readonly name?: string
  readonly type: string
  readonly linkType?: string
  readonly localized?: boolean
  readonly required?: boolean
  /** Hidden from the delivery API. */
  readonly omitted?: boolean
  readonly validations?: readonly Data[]
  readonly items?: Omit<ContentfulField, 'id'>
}

export interface ContentfulType {
  readonly sys: { readonly id: string }
  readonly name?: string
  readonly description?: string | null
  readonly fields: readonly ContentfulField[]
}

export interface ContentfulLocale {
  readonly code: string
  readonly name?: string
  readonly default?: boolean
  readonly fallbackCode?: string | null
}

export interface ContentfulSys {
  readonly id: string
  readonly contentType?: { readonly sys: { readonly id: string } }
  readonly version?: number
  readonly publishedVersion?: number
  readonly archivedVersion?: number
}

export interface ContentfulEntry {
  readonly sys: ContentfulSys
  readonly fields?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly metadata?: { readonly tags?: readonly unknown[] }
}

export function linkOf(value: unknown): { readonly kind: string; readonly id: string } | null {
  const sys = (value as { readonly sys?: Data } | null | undefined)?.sys
  if (sys?.['type'] !== 'Link' || typeof sys['id'] !== 'string') return null
  return { kind: String(sys['linkType']), id: sys['id'] }
}

export function linksOf(value: unknown): readonly { readonly kind: string; readonly id: string }[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.flatMap((one) => linkOf(one) ?? [])
}
