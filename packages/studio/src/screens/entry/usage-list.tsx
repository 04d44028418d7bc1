import type { Usage } from '../../api/entry-facts.ts'
import { UsageField } from '../../fields/usage-field.tsx'

export interface UsageListProps {
  readonly usages: readonly Usage[]
  readonly locale: string | null
  /** Whether more usages exist than the list has. */
  readonly hasMore: boolean
}

/** The entries that link to a deleted entry. */
export function UsageList({ usages, locale, hasMore }: UsageListProps) {
  return (
    <ul>
      {usagesByEntry(usages, locale).map((usage) => (
        <li key={`${usage.documentId} ${usage.field}`}>
          {usage.title ?? usage.documentId} · <UsageField uid={usage.uid} field={usage.field} />
        </li>
      ))}
      {hasMore && <li>…</li>}
    </ul>
  )
}

/**
 * An entry can link from several locales. It is listed once, in the current locale if it links from
 * there.
 */
export function usagesByEntry(usages: readonly Usage[], locale: string | null): readonly Usage[] {
  const byEntry = new Map<string, Usage>()
  for (const usage of usages) {
    const key = `${usage.documentId} ${usage.field}`
    if (!byEntry.has(key) || usage.locale === locale) byEntry.set(key, usage)
  }
  return [...byEntry.values()]
}
