import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeCursorAfter } from './bare-read.ts'
import type { LoadGenerator } from './load.ts'
import { measureWorkload, type MeasureSettings } from './measure.ts'
import type { Bench } from './prepare.ts'
import { type ServerPair, type Side, SIDES } from './servers.ts'
import { computePercentile } from './statistics.ts'
import { type Series, toSvg } from './svg.ts'
import { UNCOUNTED, type Workload } from './workloads.ts'

const PAGE_SIZE = 25
const SAMPLES = 15
const NAMES: Readonly<Record<Side, string>> = { quire: 'Quire', bare: 'the limit' }

export interface Plotting {
  readonly bench: Bench
  readonly pair: ServerPair
  readonly generator: LoadGenerator
  readonly settings: MeasureSettings
  readonly folder: string
  readonly sizes: readonly number[]
}

/** Writes both plots. Adds posts to the database. */
export async function drawPlots(plotting: Plotting): Promise<readonly string[]> {
  mkdirSync(plotting.folder, { recursive: true })
  const throughput = await throughputBySize(plotting)
  const latency = await latencyByPage(plotting.pair, plotting.sizes.at(-1) ?? 0)
  const plots = [
    {
      name: 'throughput.svg',
      title: 'Lists of 25 a second, by number of documents',
      x: 'documents',
      y: 'requests/s',
      scale: 'linear',
      series: throughput,
    },
    {
      name: 'latency.svg',
      title: 'Time of one page of 25, by its depth',
      x: 'page',
      y: 'ms (p50)',
      scale: 'logarithmic',
      series: latency,
    },
  ] as const
  return plots.map(({ name, ...plot }) => {
    const file = join(plotting.folder, name)
    writeFileSync(file, toSvg(plot))
    return file
  })
}

async function throughputBySize({
  bench,
  pair,
  generator,
  settings,
  sizes,
}: Plotting): Promise<readonly Series[]> {
  const workload: Workload = {
    name: 'list',
    about: 'posts',
    goal: '',
    method: 'GET',
    paths: [`/api/posts?${UNCOUNTED}`],
    bodies: [],
    headers: { 'Cache-Control': 'no-store' },
  }
  const points: Record<Side, (readonly [number, number])[]> = { quire: [], bare: [] }
  for (const size of sizes) {
    await bench.seedPosts(size)
    const { sides } = await measureWorkload(pair, generator, workload, settings)
    for (const side of SIDES) points[side].push([size, sides[side].requestsPerSecond.mean])
  }
  return SIDES.map((side) => ({ name: NAMES[side], points: points[side] }))
}

/** A page by number costs as much as the pages before it. A page by cursor does not. */
async function latencyByPage({ quire }: ServerPair, posts: number): Promise<readonly Series[]> {
  const last = Math.floor(posts / PAGE_SIZE)
  const pages = [1, 10, 100, 1_000, 10_000, 40_000].filter((page) => page < last).concat(last)
  const byNumber: (readonly [number, number])[] = []
  const byCursor: (readonly [number, number])[] = []
  for (const page of pages) {
    const number = `${quire.base}/api/posts?${UNCOUNTED}&pagination[page]=${page}`
    byNumber.push([page, await timeOf(number)])
    const cursor = `${quire.base}/api/posts?${UNCOUNTED}&pagination[cursor]=${await cursorOf(number)}`
    byCursor.push([page, await timeOf(cursor)])
  }
  return [
    { name: 'by number', points: byNumber },
    { name: 'by cursor', points: byCursor },
  ]
}

async function cursorOf(url: string): Promise<string> {
  const { data } = (await (await fetch(url)).json()) as { data: readonly { id: number }[] }
  return encodeCursorAfter((data[0]?.id ?? 1) - 1)
}

async function timeOf(url: string): Promise<number> {
  const times: number[] = []
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const started = performance.now()
    const answer = await fetch(url)
    await answer.text()
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
    times.push(performance.now() - started)
  }
  return computePercentile(times, 0.5)
}
