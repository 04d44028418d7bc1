import type { EntryChange } from '../../changes/live/entry-changes.ts'

/** For the whole entry, which every reader of the discussion sees. */
const WHOLE_ENTRY = null

/** The changes of an entry that a stream has not sent yet: at most one event of each kind. */
export class PendingChanges {
  #written: EntryChange | null = null
  /** By the stored names of the commented attributes: the requests, or null after an unknown one. */
  readonly #discussed = new Map<string | null, string | null>()

  isEmpty(): boolean {
    return this.#written === null && this.#discussed.size === 0
  }

  add(change: EntryChange): void {
    const { kind, revision, attribute = WHOLE_ENTRY, requestId = null } = change
    if (kind === 'entry') this.#written = { kind, revision }
    else this.#discussed.set(attribute, this.#sameRequest(attribute, requestId))
  }

  #sameRequest(attribute: string | null, requestId: string | null): string | null {
    const before = this.#discussed.get(attribute)
    return before === undefined || before === requestId ? requestId : null
  }

  /** Removes all changes, and returns those that the caller may know of. */
  take(showsComments: (attribute: string) => boolean): readonly EntryChange[] {
    const requests = [...this.#discussed].flatMap(([attribute, requestId]) =>
      attribute === WHOLE_ENTRY || showsComments(attribute) ? [requestId] : [],
    )
    const written = this.#written === null ? [] : [this.#written]
    this.#written = null
    this.#discussed.clear()
    return requests.length === 0 ? written : [...written, discussionBy(new Set(requests))]
  }
}

/** `requestId` is null for several requests. */
function discussionBy(requests: ReadonlySet<string | null>): EntryChange {
  const [first = null] = requests
  return { kind: 'discussion', revision: null, requestId: requests.size === 1 ? first : null }
}
