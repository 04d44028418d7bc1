import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChildServer, startChildServer } from './child-server.ts'
import { compareVariants, findWorkload } from './compare-variants.ts'
import { startLoadGenerator } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type Bench, prepareBench } from './prepare.ts'
import { describeMachine } from './report.ts'
import { readSeeded } from './seeded.ts'
import { readShipped } from './shipped.ts'
import { makeWorkloads } from './workloads.ts'

const SERVER = new URL('../../../../src/server/main.js', import.meta.url)

/** A project whose hook does nothing. */
const CONFIGURATION = `export default {
  extensions: [
    {
      name: 'idle',
      contentTypes: { 'api::post.post': { beforeWrite: ({ data }) => data } },
    },
  ],
}
`

/** `npm run bench -- hooks`: measures the cost of one `beforeWrite` that does nothing. */
export async function benchHooks(options: BenchOptions): Promise<string> {
  const [posts = 1] = options.posts
  const bench = await prepareBench({ posts, cities: options.cities })
  const generator = startLoadGenerator()
  try {
    const { none, hook } = await startBoth(bench)
    const workloads = makeWorkloads(await readSeeded(none.base, posts))
    const lines = [describeMachine(), `${bench.databaseVersion} (${bench.reason})`]
    for (const name of ['create', 'update']) {
      const workload = findWorkload(workloads, name)
      const variants = new Map([
        ['without', { server: none, workload }],
        ['hook', { server: hook, workload }],
      ])
      lines.push('', ...(await compareVariants(variants, generator, options)))
    }
    await Promise.all([none.stop(), hook.stop()])
    return lines.join('\n')
  } finally {
    generator.stop()
    await bench.close()
  }
}

interface BothServers {
  readonly none: ChildServer
  readonly hook: ChildServer
}

async function startBoth({ env }: Bench): Promise<BothServers> {
  const project = join(env['CONTENT_TYPES_DIR'] ?? '', '..', 'with-hook')
  mkdirSync(project)
  writeFileSync(join(project, 'quire.config.mjs'), CONFIGURATION)
  const shipped = readShipped()
  const all = { ...shipped.env, ...env }
  const none = await startChildServer(SERVER, all, shipped.options)
  return { none, hook: await startChildServer(SERVER, all, shipped.options, project) }
}
