import type { LocaleState } from '../../api/entry-facts.ts'
import type { Sitting } from './sittings.ts'

interface ComparedTo {
  readonly id: string
  /** Null if there is none. */
  readonly revision: string | null
  /** Older than the chosen sitting, so it is shown on the left. */
  readonly isOlder: boolean
}

/** A version to compare the chosen one with. */
export type Compared =
  | (ComparedTo & { readonly kind: 'now' | 'published' | 'before' })
  | (ComparedTo & { readonly kind: 'row'; readonly sitting: Sitting })

export interface ComparedParts {
  readonly sitting: Sitting
  /** All that have a revision, newest first. */
  readonly kept: readonly Sitting[]
  readonly state: LocaleState | undefined
}

/** The newest sitting is the current entry, so it is compared with older versions only. */
export function comparedSittings({ sitting, kept, state }: ComparedParts): readonly Compared[] {
  const place = kept.indexOf(sitting)
  const now = kept[0]?.revision ?? null
  const before = kept[place + 1]?.revision ?? null
  const published = publishedRevision(state, now)
  const publishedAt = kept.findIndex((one) => one.revision === published)
  const isOlder = publishedAt === -1 || publishedAt > place
  return [
    ...(place === 0 ? [] : [{ kind: 'now' as const, id: 'now', revision: now, isOlder: false }]),
    ...(published === null
      ? []
      : [{ kind: 'published' as const, id: 'published', revision: published, isOlder }]),
    { kind: 'before', id: 'before', revision: before, isOlder: true },
    ...kept.flatMap((one, index): readonly Compared[] => {
      if (one === sitting) return []
      const { key: id, revision } = one
      return [{ kind: 'row', id, revision, isOlder: index > place, sitting: one }]
    }),
  ]
}

function publishedRevision(state: LocaleState | undefined, now: string | null): string | null {
  if (state?.state === 'published') return now
  return state?.changes?.from ?? null
}
