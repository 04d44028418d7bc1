import { MalformedBodyError, PayloadTooLargeError } from '../../base/errors.ts'
import type { SentLine } from '../../content/bulk/run-lines.ts'
import { assertShallow } from '../../schema/values/json-levels.ts'

export interface LineLimits {
  readonly maxLines: number
  readonly maxBytes: number
  readonly maxLineBytes: number
}

const NEWLINE = 0x0a

/** Empty lines are skipped but counted. @throws PayloadTooLargeError */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  { maxLines, maxBytes, maxLineBytes }: LineLimits,
): AsyncGenerator<SentLine & { readonly bytes: number }> {
  let number = 0
  let total = 0
  let rest: Buffer[] = []
  let size = 0
  const take = (end: Buffer): (SentLine & { readonly bytes: number }) | null => {
    number += 1
    const bytes = size + end.length
    const text = Buffer.concat([...rest, end])
    rest = []
    size = 0
    if (number > maxLines) throw tooLarge(`A request has at most ${maxLines} lines`)
    if (bytes > maxLineBytes) {
      const error = tooLarge(`A line has at most ${maxLineBytes} bytes`)
      return { line: number, sent: { error }, bytes: 0 }
    }
    return isBlank(text) ? null : { line: number, sent: parseLine(text), bytes }
  }
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > maxBytes) throw tooLarge(`A request has at most ${maxBytes} bytes`)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = take(chunk.subarray(from, at))
      from = at + 1
      if (line !== null) yield line
    }
    const left = chunk.subarray(from)
    size += left.length
    // Drop the bytes of an oversized line. Only its length is needed for the error.
    if (size <= maxLineBytes) rest.push(left)
    else rest = []
  }
  const last = size > 0 ? take(Buffer.alloc(0)) : null
  if (last !== null) yield last
}

export interface GroupLimits {
  readonly most: number
  readonly mostBytes: number
  readonly idleMs: number
}

/** A group also ends after `idleMs`, because the sender may be waiting for the response. */
export async function* inGroups<T extends { readonly bytes: number }>(
  items: AsyncIterator<T>,
  limits: GroupLimits,
): AsyncGenerator<readonly T[]> {
  let next = items.next()
  for (;;) {
    const first = await next
    if (first.done === true) return
    const group = [first.value]
    next = begin(items)
    while (!isFull(group, limits)) {
      const arrived = await orIdle(next, limits.idleMs)
      if (arrived === null || arrived.done === true) break
      group.push(arrived.value)
      next = begin(items)
    }
    yield group
  }
}

export async function* ahead<T>(items: AsyncIterator<T>): AsyncGenerator<T> {
  let next = begin(items)
  for (;;) {
    const item = await next
    if (item.done === true) return
    next = begin(items)
    yield item.value
  }
}

/** The error is thrown when the item is awaited, which may be after the current group. */
function begin<T>(items: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = items.next()
  next.catch(() => undefined)
  return next
}

function isFull(
  group: readonly { readonly bytes: number }[],
  { most, mostBytes }: GroupLimits,
): boolean {
  return group.length >= most || group.reduce((sum, { bytes }) => sum + bytes, 0) >= mostBytes
}

async function orIdle<T>(next: Promise<T>, idleMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const idle = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, idleMs, null)
  })
  try {
    return await Promise.race([next, idle])
  } finally {
    clearTimeout(timer)
  }
}

function tooLarge(message: string): PayloadTooLargeError {
  return new PayloadTooLargeError(message)
}

function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseLine(text: Buffer): SentLine['sent'] {
  try {
    const json = utf8.decode(text)
    assertShallow(json)
    return { value: JSON.parse(json) as unknown }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { error: new MalformedBodyError(message, null) }
  }
}
