import { NOTHING, type Possible, type Slot, union } from './possible.ts'

/** No request takes longer: what was possible before is asked for no more. */
const REMEMBERED_MS = 120_000

interface Span {
  readonly possible: Possible
  readonly fromMs: number
}

/** What the versions of one document may be now, and what they may have been at earlier moments. */
export class PossibleVersions {
  readonly #now: () => number
  readonly #spans = new Map<Slot, Span[]>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The revisions that this version may be of now. */
  get(slot: Slot): Possible {
    return this.#spans.get(slot)?.at(-1)?.possible ?? NOTHING
  }

  set(slot: Slot, possible: Possible): void {
    const now = this.#now()
    const spans = this.#spans.get(slot) ?? [{ possible: NOTHING, fromMs: -Infinity }]
    spans.push({ possible, fromMs: now })
    // The span that was in force when the remembered time began stays.
    const first = spans.findLastIndex(({ fromMs }) => fromMs <= now - REMEMBERED_MS)
    spans.splice(0, Math.max(first, 0))
    this.#spans.set(slot, spans)
  }

  /** The revisions of all versions as they are now. */
  all(): ReadonlyMap<Slot, Possible> {
    return new Map([...this.#spans.keys()].map((slot) => [slot, this.get(slot)]))
  }

  /** Whether the document may be there at all. */
  mayExist(): boolean {
    return [...this.all().values()].some((possible) => [...possible].some((one) => one !== null))
  }

  /** The document has been deleted. */
  clear(): void {
    for (const slot of this.#spans.keys()) this.set(slot, NOTHING)
  }

  /** The revisions that this version may have been of at any moment from then until now. */
  since(slot: Slot, fromMs: number): Possible {
    const spans = this.#spans.get(slot)
    if (spans === undefined) return NOTHING
    const first = spans.findLastIndex((span) => span.fromMs <= fromMs)
    return spans
      .slice(Math.max(first, 0))
      .reduce<Possible>((all, { possible }) => union(all, possible), new Set())
  }
}
