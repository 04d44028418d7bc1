import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from './server.ts'

/** Retries like a client should when the server is overloaded. */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503 && answer.status !== 504) return answer
    await wait(1_000 * Number(answer.headers['retry-after']) + randomInt(1_000))
  }
}
