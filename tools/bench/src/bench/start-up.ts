import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeManyTypes } from './content.ts'
import { type Bench, dropDatabase, ROOT_TOKEN, writeTypes } from './prepare.ts'
import { startSide } from './servers.ts'
import { type Spread, computeSpread } from './statistics.ts'

const TYPES = 50

export interface StartUp {
  readonly types: number
  /**
   * From the start of the process to the first response: on an empty database, and on an existing
   * one.
   */
  readonly firstMs: number
  readonly laterMs: Spread
}

export async function measureStartUp(
  { env }: Pick<Bench, 'env'>,
  rounds: number,
): Promise<StartUp> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-types-'))
  const database = `${env['MONGODB_DATABASE'] ?? ''}_start`
  const site = { ...env, CONTENT_TYPES_DIR: folder, MONGODB_DATABASE: database }
  writeTypes(folder, makeManyTypes(TYPES))
  const firstMs = await timeFirstAnswer(site)
  const later: number[] = []
  for (let round = 0; round < rounds; round += 1) later.push(await timeFirstAnswer(site))
  await dropDatabase(env['MONGODB_URI'] ?? '', database)
  rmSync(folder, { recursive: true })
  return { types: TYPES, firstMs, laterMs: computeSpread(later) }
}

async function timeFirstAnswer(env: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now()
  const server = await startSide('quire', env)
  const answer = await fetch(`${server.base}/api/kind-1s`, {
    headers: { Authorization: `Bearer ${ROOT_TOKEN}` },
  })
  await answer.text()
  const took = performance.now() - started
  await server.stop()
  if (!answer.ok) throw new Error(`the first answer was ${answer.status}`)
  return took
}
