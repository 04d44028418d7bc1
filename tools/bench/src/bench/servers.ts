import type { Bench } from './prepare.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { readShipped } from './shipped.ts'

export const SIDES = ['quire', 'bare'] as const
export type Side = (typeof SIDES)[number]

export type ServerPair = Readonly<Record<Side, ChildServer>>

const SCRIPTS: Readonly<Record<Side, URL>> = {
  quire: new URL('../../../../src/server/main.js', import.meta.url),
  bare: new URL('./bare-server.js', import.meta.url),
}

export function startSide(
  side: Side,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<ChildServer> {
  // The bare server uses Node's defaults, so that the cost of our options shows in the ratio.
  const shipped = side === 'quire' ? readShipped() : { options: [], env: {} }
  const options = [...shipped.options, ...nodeOptions]
  return startChildServer(SCRIPTS[side], { ...shipped.env, ...env }, options)
}

/**
 * Starts both servers on one database. Quire writes a CPU profile to `profileFolder` when it stops.
 */
export async function startPair(
  { env }: Pick<Bench, 'env'>,
  profileFolder: string | null = null,
): Promise<ServerPair> {
  const options = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  return { quire: await startSide('quire', env, options), bare: await startSide('bare', env) }
}

export async function stopPair(pair: ServerPair): Promise<void> {
  await Promise.all(SIDES.map((side) => pair[side].stop()))
}
