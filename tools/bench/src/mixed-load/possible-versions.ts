import { NO_VERSION, type Possible, type Slot, unionPossible } from './possible.ts'

/** No request lasts longer, so no response can show an older state. */
const REMEMBERED_MS = 120_000

interface Span {
  readonly possible: Possible
  readonly fromMs: number
}

/** The possible revisions of a document's versions, now and in the past. */
export class PossibleVersions {
  readonly #now: () => number
  readonly #spans = new Map<Slot, Span[]>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The revisions that the version may have now. */
  get(slot: Slot): Possible {
    return this.#spans.get(slot)?.at(-1)?.possible ?? NO_VERSION
  }

  set(slot: Slot, possible: Possible): void {
    const now = this.#now()
    const spans = this.#spans.get(slot) ?? [{ possible: NO_VERSION, fromMs: -Infinity }]
    spans.push({ possible, fromMs: now })
    // Deletes spans that ended more than `REMEMBERED_MS` ago.
    const first = spans.findLastIndex(({ fromMs }) => fromMs <= now - REMEMBERED_MS)
    spans.splice(0, Math.max(first, 0))
    this.#spans.set(slot, spans)
  }

  all(): ReadonlyMap<Slot, Possible> {
    return new Map([...this.#spans.keys()].map((slot) => [slot, this.get(slot)]))
  }

  mayExist(): boolean {
    return [...this.all().values()].some((possible) => [...possible].some((one) => one !== null))
  }

  clear(): void {
    for (const slot of this.#spans.keys()) this.set(slot, NO_VERSION)
  }

  /** The revisions that the version may have had at any time since then. */
  since(slot: Slot, fromMs: number): Possible {
    const spans = this.#spans.get(slot)
    if (spans === undefined) return NO_VERSION
    const first = spans.findLastIndex((span) => span.fromMs <= fromMs)
    return spans
      .slice(Math.max(first, 0))
      .reduce<Possible>((all, { possible }) => unionPossible(all, possible), new Set())
  }
}
