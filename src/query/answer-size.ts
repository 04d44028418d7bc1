import { ValidationError } from '../errors.ts'

/** Bounds of one answer; beyond them a request is a 400. */
export interface AnswerBounds {
  /** Entries that populate fills in, each counted as often as the answer shows it. */
  readonly maxEntries: number
  /** Bytes of BSON that are read for it; bytes of JSON that it is made of. */
  readonly maxBytes: number
}

/** The size of one answer in the making. */
export interface AnswerSize {
  readonly bounds: AnswerBounds
  /** Entries and bytes so far. */
  readonly entries: number
  readonly bytes: number
  /** Counts entries that the attribute at `path` shows. @throws ValidationError beyond the bound */
  show(path: string, count: number): void
  /** Counts bytes read. @throws ValidationError beyond the bound */
  read(bytes: number): void
}

/** Begins to measure an answer. */
export function measureAnswer(bounds: AnswerBounds): AnswerSize {
  return new Measure(bounds)
}

class Measure implements AnswerSize {
  entries = 0
  bytes = 0
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

/** For entries at the dotted path of a populated attribute. */
export function tooManyEntries(path: string, limit: number): ValidationError {
  return new ValidationError(
    `populate ${path}: an answer shows at most ${limit} related entries, each counted as often as it appears; ` +
      'ask for fewer entries, fewer levels, or a page of them (pagination)',
    { path, limit, source: 'query', param: 'populate' },
  )
}

/** For an answer whose content is too large, whatever its entries are. */
export function tooManyBytes(limit: number): ValidationError {
  return new ValidationError(
    `an answer holds at most ${limit} bytes; ask for fewer entries or fields`,
    { limit, source: 'query' },
  )
}
