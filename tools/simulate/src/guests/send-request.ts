import { Agent, request, type IncomingMessage } from 'node:http'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries<string>(given)
}

/** Sends a request. @throws Error if no complete response arrives in time */
export function sendRequest(asked: Asked): Promise<Answer> {
  const { method, url, body, signal, timeoutMs = 20_000 } = asked
  return new Promise((resolve, reject) => {
    const headers = {
      ...asked.headers,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    }
    const sent = request(url, { method, agent, headers })
    const timer = setTimeout(() => sent.destroy(new Error('timeout')), timeoutMs)
    const abort = (): void => {
      sent.destroy(new Error('aborted'))
    }
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort)
    sent.on('error', (error) => {
      done()
      reject(error)
    })
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('close', () => {
        done()
        if (!response.complete) reject(new Error('the response was cut off'))
      })
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text })
      })
    })
    sent.end(body)
  })
}
