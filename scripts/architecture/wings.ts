import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'

/** The imports between the wings of `src`: each wing with the wings that it imports. */
export type WingGraph = ReadonlyMap<string, ReadonlySet<string>>

const IMPORT = /^(?:import|export)\b[^'"]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'/gm

/** Reads all modules below a folder. A wing is a folder in it, or a file next to the folders. */
export async function readWings(folder: string): Promise<WingGraph> {
  const names = await readdir(folder, { recursive: true })
  const graph = new Map<string, Set<string>>()
  for (const name of names.map((each) => each.split('\\').join('/')).sort()) {
    if (!/\.tsx?$/.test(name)) continue
    const wing = wingOf(name)
    const targets = graph.get(wing) ?? new Set()
    graph.set(wing, targets)
    const text = await readFile(join(folder, name), 'utf8')
    for (const [, from, bare] of text.matchAll(IMPORT)) {
      const target = wingOf(posix.join(posix.dirname(name), from ?? bare ?? ''))
      if (target !== wing) targets.add(target)
    }
  }
  return graph
}

function wingOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/\.tsx?$/, '')
}

/** Removes imports of wings that are also reached through another import. */
export function withoutShortcuts(graph: WingGraph): WingGraph {
  return new Map(
    [...graph].map(([wing, targets]) => {
      const direct = [...targets].filter((target) =>
        [...targets].every((other) => other === target || !reaches(graph, other, target)),
      )
      return [wing, new Set(direct)]
    }),
  )
}

function reaches(graph: WingGraph, from: string, to: string): boolean {
  const targets = [...(graph.get(from) ?? [])]
  return targets.includes(to) || targets.some((target) => reaches(graph, target, to))
}

/** The layer of each wing: one above the highest wing that it imports. The graph has no cycles. */
export function layersOf(graph: WingGraph): ReadonlyMap<string, number> {
  const layers = new Map<string, number>()
  const layerOf = (wing: string): number => {
    const known = layers.get(wing)
    if (known !== undefined) return known
    const below = [...(graph.get(wing) ?? [])].map(layerOf)
    const layer = Math.max(-1, ...below) + 1
    layers.set(wing, layer)
    return layer
  }
  for (const wing of graph.keys()) layerOf(wing)
  return layers
}
