import type { Readable } from 'node:stream'
import { ApplicationError } from '../base/errors.ts'
import { utf8Text } from './utf8-text.ts'

/** In characters. A line becomes one value in memory, and a small compressed file may contain a huge one. */
const MAX_LINE = 64 * 1024 * 1024

/** Splits at LF or CRLF with one line in memory. @throws ApplicationError with `where`, also for invalid UTF-8 */
export async function* boundedLines(
  bytes: Readable,
  where: string,
  most = MAX_LINE,
): AsyncGenerator<string> {
  let parts: string[] = []
  let size = 0
  let number = 1
  const decode = utf8Text(() => `${where}: what line ${number} begins`)
  const keep = (part: string): void => {
    parts.push(part)
    size += part.length
    if (size <= most) return
    throw new ApplicationError(`${where}:${number}: a line has more than ${most} characters`)
  }
  const take = (): string => {
    const line = parts.join('')
    parts = []
    size = 0
    number += 1
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  for await (const chunk of readable(bytes, where)) {
    const [first = '', ...others] = decode(chunk).split('\n')
    keep(first)
    for (const part of others) {
      yield take()
      keep(part)
    }
  }
  keep(decode())
  if (size > 0) yield take()
}

export async function boundedText(bytes: Readable, where: string, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of readable(bytes, where)) {
    size += chunk.length
    if (size > most) throw new ApplicationError(`${where} has more than ${most} bytes`)
    chunks.push(chunk)
  }
  const decode = utf8Text(() => where)
  return decode(Buffer.concat(chunks)) + decode()
}

async function* readable(bytes: Readable, where: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) yield chunk
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ApplicationError(`${where} cannot be read: ${reason}`, {}, { cause: error })
  }
}
