import type { Author } from '../../api/history.ts'
import type { Version } from './versions.ts'

/** Edits of one person in a row, or one other event. */
export interface Sitting extends Pick<Version, 'by' | 'kind' | 'isNew' | 'isScheduled'> {
  /** The newest commit. */
  readonly key: string
  readonly begin: string
  readonly end: string
  /** The newest revision. Null after a deletion. */
  readonly revision: string | null
  /** Null if they are unknown. */
  readonly changed: readonly string[] | null
}

const MAX_PAUSE_MS = 5 * 60_000
const MAX_SITTING_MS = 30 * 60_000

/** Newest first, like the versions. Later versions never change the groups of earlier ones. */
export function sittingsOf(versions: readonly Version[]): readonly Sitting[] {
  const sittings: Sitting[] = []
  for (const version of versions.toReversed()) {
    const last = sittings.at(-1)
    if (last !== undefined && continues(last, version)) {
      sittings[sittings.length - 1] = joined(last, version)
    } else {
      const { at, ...rest } = version
      sittings.push({ ...rest, begin: at, end: at })
    }
  }
  return sittings.toReversed()
}

function continues(last: Sitting, { kind, by, at }: Version): boolean {
  return (
    last.kind === 'edited' &&
    kind === 'edited' &&
    isSamePerson(last.by, by) &&
    Date.parse(at) - Date.parse(last.end) <= MAX_PAUSE_MS &&
    Date.parse(at) - Date.parse(last.begin) <= MAX_SITTING_MS
  )
}

function isSamePerson(one: Author, other: Author): boolean {
  return one.kind === other.kind && one.id === other.id
}

function joined(last: Sitting, { key, at, revision, changed }: Version): Sitting {
  const names = [...new Set([...(last.changed ?? []), ...(changed ?? [])])]
  return {
    ...last,
    key,
    end: at,
    revision,
    changed: last.changed === null && changed === null ? null : names,
  }
}
