import { ValidationError } from '../base/errors.ts'
import type { Uid } from '../schema/definition.ts'

export interface AnswerBounds {
  /** Counts an entry each time it appears in the response. */
  readonly maxEntries: number
  /** Applies to the BSON bytes read and, separately, to the JSON bytes written. */
  readonly maxBytes: number
}

export interface AnswerSize {
  readonly bounds: AnswerBounds
  readonly entries: number
  readonly bytes: number
  /** The content-types to which links in its blocks refer. */
  readonly linkedTypes: Set<Uid>
  show(path: string, count: number): void
  read(bytes: number): void
}

export function measureAnswer(bounds: AnswerBounds): AnswerSize {
  return new Measure(bounds)
}

/** For reads whose rows are no part of the response. */
export function uncountedAnswer(): AnswerSize {
  return {
    bounds: { maxEntries: 0, maxBytes: 0 },
    entries: 0,
    bytes: 0,
    linkedTypes: new Set(),
    show: () => undefined,
    read: () => undefined,
  }
}

class Measure implements AnswerSize {
  entries = 0
  bytes = 0
  readonly linkedTypes = new Set<Uid>()
  readonly bounds: AnswerBounds

  constructor(bounds: AnswerBounds) {
    this.bounds = bounds
  }

  show(path: string, count: number): void {
    this.entries += count
    if (this.entries > this.bounds.maxEntries) throw tooManyEntries(path, this.bounds.maxEntries)
  }

  read(count: number): void {
    this.bytes += count
    if (this.bytes > this.bounds.maxBytes) throw tooManyBytes(this.bounds.maxBytes)
  }
}

export function tooManyEntries(path: string, limit: number): ValidationError {
  return new ValidationError(
    `populate ${path}: an answer shows at most ${limit} related entries, each counted as often as it appears; ` +
      'ask for fewer entries, fewer levels, or a page of them (pagination)',
    { path, limit, source: 'query', param: 'populate' },
  )
}

export function tooManyBytes(limit: number): ValidationError {
  return new ValidationError(
    `an answer holds at most ${limit} bytes; ask for fewer entries or fields`,
    { limit, source: 'query' },
  )
}
