import { BSONRegExp, Long } from 'bson'
import { isDocument } from '../bson/values.ts'
import type { Document, RawDocument, Value } from '../bson/values.ts'
import { TurnOver, startTurn } from '../deadline.ts'
import type { Deadline } from '../deadline.ts'
import { isChangeStream } from '../request/change-stream.ts'
import { findCursorHome } from '../request/cursors.ts'
import type { Message } from '../request/message.ts'
import type { Reader } from './reader-process.ts'

/** Commands that only read, keep no state except a cursor, and may take long. */
const MOVABLE: ReadonlySet<string> = new Set(['aggregate', 'count', 'distinct', 'explain', 'find'])

type Reply = Document | RawDocument

/** If the turn ends, the reader runs the command again. Cursors stay in their process. */
export async function runOrMove(
  reader: Reader,
  { body, bodyBytes }: Message,
  deadline: Deadline,
  run: (deadline: Deadline) => Promise<Reply>,
): Promise<Reply> {
  const [name = ''] = Object.keys(body)
  if (name === 'endSessions' || name === 'killSessions') reader.tell(bodyBytes)
  if (isAtReader(name, body)) return reader.ask(bodyBytes, deadline)
  if (!MOVABLE.has(name) || isChangeStream(body)) return run(deadline)
  if (holdsOpenRegex(body)) return reader.ask(bodyBytes, deadline)
  try {
    return await run({ ...deadline, turn: startTurn(reader.turnMs()) })
  } catch (error) {
    if (error instanceof TurnOver) return reader.ask(bodyBytes, deadline)
    throw error
  }
}

function isAtReader(name: string, body: Document): boolean {
  const { getMore, cursors } = body
  if (name === 'getMore') return getMore instanceof Long && findCursorHome(getMore) === 'reader'
  return (
    name === 'killCursors' &&
    Array.isArray(cursors) &&
    cursors.some((id) => id instanceof Long && findCursorHome(id) === 'reader')
  )
}

/** A match with a quantifier can run for years. Escaped text, as in a text search, is safe. */
function holdsOpenRegex(value: Value): boolean {
  if (value instanceof BSONRegExp) return repeats(value.pattern)
  if (Array.isArray(value)) return value.some(holdsOpenRegex)
  if (!isDocument(value)) return false
  return Object.keys(value).some((name) => {
    const member = value[name]
    return (name === '$regex' || name === 'regex') && typeof member === 'string'
      ? repeats(member)
      : holdsOpenRegex(member)
  })
}

function repeats(pattern: string): boolean {
  return /^(?:[^\\]|\\[\s\S])*?[*+{]/.test(pattern)
}
