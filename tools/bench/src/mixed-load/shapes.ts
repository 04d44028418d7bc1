// Expected responses for `MIXED_TYPES`. They are not validated: an unexpected response is reported as a
// fault or stops the load.

export interface NoteEntry {
  readonly documentId: string
  readonly key: string
  readonly total: number
  readonly title: string
  readonly revision: number
  readonly parts: readonly { readonly revision: number }[]
  readonly folder: { readonly documentId: string } | null
}

export interface CounterEntry {
  readonly documentId: string
  readonly count: number
}

export interface GroupEntry {
  readonly documentId: string
  readonly members: readonly { readonly key: string }[]
}

export interface MemberEntry {
  readonly documentId: string
  readonly key: string
  readonly groups: readonly { readonly documentId: string }[]
}

export interface OneResponse<Entry> {
  readonly data: Entry
}

export interface PageResponse<Entry> {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: { readonly pageCount: number } }
}

export interface StoredFile {
  readonly id: number
  readonly url: string
}

export interface Refusal {
  readonly data: unknown
  readonly error?: { readonly status: number }
}
