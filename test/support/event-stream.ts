import { type IncomingMessage, request } from 'node:http'
import type { Json } from './server.ts'

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  readonly event: string
  readonly data: Json
  /** The `Last-Event-ID` after this event. */
  readonly id: string
}

/** A stream, read by the rules of the standard. */
export interface EventStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The body of a response that is not a stream. */
  readonly body: Json
  readonly events: readonly ServerEvent[]
  /** The current `Last-Event-ID`. */
  lastId(): string
  retry(): number | null
  /** Number of received comments. */
  comments(): number
  isEnded(): boolean
  /** Stops reading without disconnecting. */
  pause(): void
  resume(): void
  close(): void
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
export async function openEventStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false })
  outgoing.end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
  })
  outgoing.on('error', () => undefined)
  response.on('error', () => undefined)
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  let text = ''
  let isEnded = false
  let id = ''
  let retry: number | null = null
  let comments = 0
  const events: ServerEvent[] = []
  const readBlock = (block: string): void => {
    let event = 'message'
    const data: string[] = []
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':')
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
      if (colon === 0) comments += 1
      else if (name === 'event') event = value
      else if (name === 'data') data.push(value)
      else if (name === 'id') id = value
      else if (name === 'retry') retry = Number(value)
    }
    if (data.length > 0) events.push({ event, data: JSON.parse(data.join('\n')), id })
  }
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    if (!isStream) return
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) readBlock(block)
  })
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      isEnded = true
      resolve()
    })
  })
  if (!isStream) await ended
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: isStream || text === '' ? null : JSON.parse(text),
    events,
    lastId: () => id,
    retry: () => retry,
    comments: () => comments,
    isEnded: () => isEnded,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => {
      response.destroy()
      outgoing.destroy()
    },
  }
}
