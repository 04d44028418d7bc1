import { type AnswerSize, tooManyBytes } from '../../query/answer-size.ts'
import { beginTimeSlice, type TimeSlice } from '../../base/time-slice.ts'

const SMALL = { entries: 500, bytes: 524_288 } as const

/** The weight of a piece that is serialized in one go. A value counts 1, and every 64 characters of text count 1. */
const PIECE = 2_000

/** A large body yields to the event loop. @throws ValidationError beyond the size limit */
export async function toJson(body: object, answer: AnswerSize | undefined): Promise<string> {
  if (answer === undefined) return JSON.stringify(body)
  return isSmall(answer) ? JSON.stringify(body) : new Pieces(answer.bounds.maxBytes).write(body)
}

export function boundTexts(texts: readonly string[], answer: AnswerSize | undefined): void {
  if (answer === undefined || isSmall(answer)) return
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length > answer.bounds.maxBytes) throw tooManyBytes(answer.bounds.maxBytes)
}

function isSmall({ entries, bytes }: AnswerSize): boolean {
  return entries < SMALL.entries && bytes < SMALL.bytes
}

class Pieces {
  readonly #maxLength: number
  readonly #pieces: string[] = []
  readonly #slice: TimeSlice = beginTimeSlice()
  #length = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  async write(body: object): Promise<string> {
    await this.#value(body)
    return this.#pieces.join('')
  }

  async #value(value: unknown): Promise<void> {
    if (!isContainer(value) || weigh(value, PIECE) <= PIECE) {
      this.#add(value === undefined ? 'null' : JSON.stringify(value))
      if (this.#slice.isOver()) await this.#slice.next()
    } else if (Array.isArray(value)) {
      await this.#list(value)
    } else {
      await this.#object(value)
    }
  }

  async #list(list: readonly unknown[]): Promise<void> {
    for (const [index, one] of list.entries()) {
      this.#add(index === 0 ? '[' : ',')
      await this.#value(one)
    }
    this.#add(']')
  }

  async #object(object: object): Promise<void> {
    let before = '{'
    for (const [key, value] of Object.entries(object) as [string, unknown][]) {
      if (value === undefined) continue
      this.#add(`${before}${JSON.stringify(key)}:`)
      await this.#value(value)
      before = ','
    }
    this.#add(before === '{' ? '{}' : '}')
  }

  #add(piece: string): void {
    this.#length += piece.length
    if (this.#length > this.#maxLength) throw tooManyBytes(this.#maxLength)
    this.#pieces.push(piece)
  }
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !('toJSON' in value)
}

function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / 64
  if (!isContainer(value)) return 1
  let weight = 1
  for (const one of Object.values(value) as unknown[]) {
    weight += weigh(one, most - weight)
    if (weight > most) break
  }
  return weight
}
