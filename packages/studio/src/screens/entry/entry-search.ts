export interface EntryRouteSearch {
  readonly locale?: string | undefined
  /** The field to open: names of attributes, joined by dots. */
  readonly field?: string | undefined
  /** Chooses the component with a link to this document. */
  readonly linked?: string | undefined
}

export function readEntrySearch(search: Record<string, unknown>): EntryRouteSearch {
  const textOf = (name: keyof EntryRouteSearch): string | undefined => {
    const value = search[name]
    return typeof value === 'string' ? value : undefined
  }
  return { locale: textOf('locale'), field: textOf('field'), linked: textOf('linked') }
}
